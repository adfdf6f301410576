import { ask } from './api.js';
import { announce, badge, facts, fill, h, link, table } from './dom.js';
import { findingList, severityKind } from './findings.js';
import { count, instant, plural, UNKNOWN } from './format.js';
import { brokerTable } from './brokers.js';

const VOTER_COLUMNS = [
  { title: 'Node', head: true, number: true }, { title: 'Role' }, { title: 'Log end', number: true },
  { title: 'Entries behind', number: true }, { title: 'Last fetch' }, { title: 'Caught up' },
];

function member(voter, role) {
  return [count(voter.id), role, count(voter.logEndOffset), count(voter.lag), instant(voter.lastFetchMs), instant(voter.lastCaughtUpMs)];
}

function quorumPart(quorum) {
  return [
    facts([
      ['Leader', quorum.leaderId === null ? 'none' : `node ${quorum.leaderId}`, { id: 'quorum-leader' }],
      ['Epoch', count(quorum.epoch)], ['Committed up to', count(quorum.highWatermark)]]),
    table('Members of the metadata quorum', VOTER_COLUMNS, [
      ...quorum.voters.map(voter => member(voter, voter.id === quorum.leaderId ? badge('leader', 'good') : 'voter')),
      ...quorum.observers.map(observer => member(observer, 'observer'))], { id: 'quorum-members' }),
  ];
}

function nodePart(ready, safe) {
  return [
    facts([
      ['Serves clients', ready.ready ? badge('ready', 'good') : badge('not ready', 'bad'), { id: 'ready' }],
      ['May be stopped', safe.safeToStop ? badge('safe to stop', 'good') : badge('not safe to stop', 'warn'), { id: 'safe' }],
      ['Partitions that speak against it', count(safe.blockedPartitions)]]),
    ready.reasons.length || safe.reasons.length
      ? h('ul', { class: 'reasons' }, [...ready.reasons, ...safe.reasons].map(reason => h('li', {}, reason))) : null,
  ];
}

export function overview(root, page) {
  const wrong = h('section', { 'aria-labelledby': 'wrong-heading', id: 'wrong' });
  const numbers = h('section', { 'aria-labelledby': 'numbers-heading' });
  const node = h('section', { 'aria-labelledby': 'node-heading' });
  const quorum = h('section', { 'aria-labelledby': 'quorum-heading' });
  const brokers = h('section', { 'aria-labelledby': 'brokers-heading' });
  root.append(wrong, numbers, node, quorum, brokers);

  const kept = {};
  let said = '';
  page.every(5000, async () => {
    const findings = await ask('/api/v1/findings', page);
    fill(wrong, h('h2', { id: 'wrong-heading' }, 'What is wrong now, and why '), badge(findings.worst, severityKind(findings.worst)),
      findingList(findings.findings, kept));
    // Those who do not look hear of a change, and not of every look.
    const now = `What is wrong: ${findings.worst === 'ok' ? 'nothing' : `${plural(findings.findings.length, 'finding')}, the worst is a ${findings.worst}`}`;
    if (said !== '' && said !== now) {
      announce(now);
    }
    said = now;
  });
  page.every(5000, async () => {
    const cluster = await ask('/api/v1/cluster', page);
    fill(numbers, h('h2', { id: 'numbers-heading' }, 'The cluster'), facts([
      ['Cluster', h('code', {}, cluster.clusterId)],
      ['Active controller', cluster.activeControllerId === null ? 'none' : `node ${cluster.activeControllerId}`],
      ['Brokers', plural(cluster.brokers, 'broker'), { id: 'count-brokers' }],
      ['Fenced brokers', count(cluster.fencedBrokers)],
      ['Topics', link('#/topics', count(cluster.topics)), { id: 'count-topics' }],
      ['Partitions', count(cluster.partitions), { id: 'count-partitions' }],
      ['Offline', count(cluster.offlinePartitions), { id: 'count-offline' }],
      ['Under-replicated', count(cluster.underReplicatedPartitions), { id: 'count-under' }],
      ['Metadata offset', count(cluster.metadataOffset)],
    ]));
  });
  page.every(5000, async () => {
    const [ready, safe] = await Promise.all([
      ask('/ready', { signal: page.signal, alsoNo: true }), ask('/safe-to-stop', { signal: page.signal, alsoNo: true })]);
    fill(node, h('h2', { id: 'node-heading' }, 'This node'), nodePart(ready, safe));
  });
  page.every(5000, async () => {
    const heading = h('h2', { id: 'quorum-heading' }, 'Metadata quorum');
    try {
      fill(quorum, heading, quorumPart(await ask('/api/v1/quorum', page)));
    } catch (e) {
      fill(quorum, heading, h('p', { class: 'trouble' }, e.message ?? UNKNOWN));
    }
  });
  page.every(5000, async () => {
    fill(brokers, h('h2', { id: 'brokers-heading' }, 'Brokers'), brokerTable(await ask('/api/v1/brokers', page)));
  });
  return 'Overview';
}
