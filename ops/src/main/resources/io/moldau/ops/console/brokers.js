import { ask, path } from './api.js';
import { badge, fill, h, link, table } from './dom.js';
import { findingList } from './findings.js';
import { configTable } from './configs.js';
import { count, UNKNOWN } from './format.js';

const COLUMNS = [
  { title: 'Broker', head: true }, { title: 'State' }, { title: 'Rack' }, { title: 'Leads', number: true },
  { title: 'Preferred leader of', number: true }, { title: 'Replicas', number: true }, { title: 'Listeners' },
];

const STATES = { active: 'good', leaving: 'warn', fenced: 'bad' };

export function brokerTable(answer) {
  return table('Brokers of the cluster', COLUMNS, answer.brokers.map(broker => [
    h('span', {}, link(`#/brokers/${broker.id}`, `Broker ${broker.id}`), broker.here ? ' (this node)' : ''),
    badge(broker.state, STATES[broker.state]), broker.rack ?? UNKNOWN, count(broker.leaders), count(broker.preferredLeaders),
    count(broker.replicas), h('code', {}, broker.listeners.map(one => `${one.name}://${one.host}:${one.port}`).join(', ')),
  ]), { id: 'brokers' });
}

export function brokers(root, page) {
  page.every(5000, async () => fill(root, brokerTable(await ask('/api/v1/brokers', page))));
  return 'Brokers';
}

export function broker(root, page) {
  const [id] = page.parameters;
  const why = h('section', { 'aria-labelledby': 'why-heading' });
  const settings = h('section', { 'aria-labelledby': 'settings-heading' });
  root.append(why, settings);
  page.every(5000, async () => {
    const answer = await ask(path('brokers', id, 'why'), page);
    fill(why, h('h2', { id: 'why-heading' }, 'How it is'), findingList(answer.findings));
  });
  configTable(settings, page, path('brokers', id, 'configs'));
  return `Broker ${id}`;
}
