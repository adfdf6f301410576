import { ask } from './api.js';
import { facts, fill, h, table } from './dom.js';
import { bytes, count, millis, rate, seconds } from './format.js';
import { draw, History } from './plot.js';
import { topicLink } from './topics.js';

const perSecond = number => number === null || number === undefined ? '–' : `${rate(number)}/s`;
const bytesPerSecond = number => number === null || number === undefined ? '–' : `${bytes(number)}/s`;
bytesPerSecond.unit = bytes.unit;

const TOPIC_COLUMNS = [
  { title: 'Topic', head: true }, { title: 'Records in', number: true }, { title: 'Bytes in', number: true }, { title: 'Bytes out', number: true },
  { title: 'Replication in', number: true }, { title: 'Replication out', number: true }, { title: 'Failures', number: true },
];

const API_COLUMNS = [
  { title: 'Request', head: true }, { title: 'Requests', number: true }, { title: 'Errors', number: true },
  { title: 'Half within', number: true }, { title: '99 of 100 within', number: true },
];

/** Kept as long as the page is loaded, also while another page is open. */
const kept = { records: new History(), bytes: new History(), requests: new History(), produce: new History(), fetch: new History() };

const of = (rates, api) => rates.apis.find(one => one.api === api);

export function live(root, page) {
  const head = h('section', { 'aria-label': 'Now' });
  const figures = Object.fromEntries(Object.keys(kept).map(name => [name, h('figure', { id: `plot-${name}` })]));
  const plots = h('section', { class: 'plots', 'aria-label': 'The last five minutes' }, Object.values(figures));
  const topics = h('section', { 'aria-labelledby': 'busy-heading' });
  const apis = h('section', { 'aria-labelledby': 'apis-heading' });
  root.append(head, plots, topics, apis);
  page.every(2000, async () => {
    const rates = await ask('/api/v1/rates', page);
    const known = rates.overSeconds !== null;
    fill(head, facts([
      ['Records in', known ? perSecond(rates.total.records) : '–', { id: 'records-in', 'data-value': rates.total.records }],
      ['Bytes in', known ? bytesPerSecond(rates.total.bytesIn) : '–', { id: 'bytes-in', 'data-value': rates.total.bytesIn }],
      ['Bytes out', known ? bytesPerSecond(rates.total.bytesOut) : '–', { id: 'bytes-out', 'data-value': rates.total.bytesOut }],
      ['Failures', known ? perSecond(rates.total.failures) : '–'],
      ['Connections', count(rates.connections)],
      ['Over the last', seconds(rates.overSeconds)]]),
    known ? null : h('p', { class: 'quiet' }, 'The first look: rates are known with the next one.'));
    if (known) {
      kept.records.add(rates.atMs, [rates.total.records]);
      kept.bytes.add(rates.atMs, [rates.total.bytesIn, rates.total.bytesOut, rates.total.replicationIn]);
      kept.requests.add(rates.atMs, [of(rates, 'Produce')?.requests ?? 0, of(rates, 'Fetch')?.requests ?? 0]);
      for (const [name, api] of [['produce', 'Produce'], ['fetch', 'Fetch']]) {
        kept[name].add(rates.atMs, [of(rates, api)?.p50Ms ?? null, of(rates, api)?.p99Ms ?? null]);
      }
    }
    draw(figures.records, 'Records in', ['records'], kept.records, perSecond);
    draw(figures.bytes, 'Bytes', ['in', 'out', 'replicated in'], kept.bytes, bytesPerSecond);
    draw(figures.requests, 'Requests', ['Produce', 'Fetch'], kept.requests, perSecond);
    draw(figures.produce, 'How long Produce takes', ['half within', '99 of 100 within'], kept.produce, millis);
    draw(figures.fetch, 'How long Fetch takes, with its wait for records', ['half within', '99 of 100 within'], kept.fetch, millis);
    fill(topics, h('h2', { id: 'busy-heading' }, 'Busiest topics on this node'), table('Topics, per second', TOPIC_COLUMNS, rates.topics.map(topic => [
      topic.topic.startsWith('(') ? topic.topic : topicLink(topic.topic), rate(topic.records), bytes(topic.bytesIn), bytes(topic.bytesOut), bytes(topic.replicationIn),
      bytes(topic.replicationOut), rate(topic.failures)]), { id: 'busy' }));
    fill(apis, h('h2', { id: 'apis-heading' }, 'Requests'), table('Requests, per second', API_COLUMNS, rates.apis.map(api =>
      [api.api, rate(api.requests), rate(api.errors), millis(api.p50Ms), millis(api.p99Ms)]), { id: 'apis' }),
    h('p', { class: 'quiet' }, 'Times are from the last byte of a request to its answer, as far as the buckets of the histograms tell. A Fetch with nothing to read waits up to the client’s fetch.max.wait.ms.'));
  });
  return 'Live';
}
