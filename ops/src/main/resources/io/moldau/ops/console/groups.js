import { ask, path } from './api.js';
import { badge, facts, fill, h, link, table } from './dom.js';
import { findingList } from './findings.js';
import { count, instant, plural, seconds, UNKNOWN } from './format.js';
import { draw, History } from './plot.js';
import { topicLink } from './topics.js';

const GROUP_COLUMNS = [
  { title: 'Group', head: true }, { title: 'State' }, { title: 'Members', number: true }, { title: 'Partitions', number: true },
  { title: 'Lag in records', number: true }, { title: 'Lag in time', number: true }, { title: 'Coordinator', number: true },
];

const POSITION_COLUMNS = [
  { title: 'Topic', head: true }, { title: 'Partition', number: true }, { title: 'Committed', number: true }, { title: 'End', number: true },
  { title: 'Lag in records', number: true }, { title: 'Lag in time', number: true }, { title: 'Has stood for', number: true },
  { title: 'Committed at' }, { title: 'Member' },
];

const MEMBER_COLUMNS = [{ title: 'Member', head: true }, { title: 'Client' }, { title: 'Host' }, { title: 'Partitions', number: true }];

const STATES = { Stable: 'good', Empty: 'note', Dead: 'bad' };

function state(word) {
  return badge(word, STATES[word] ?? 'warn');
}

export function groups(root, page) {
  page.every(5000, async () => {
    const answer = await ask('/api/v1/groups', page);
    fill(root,
      answer.silentBrokers.length ? h('p', { class: 'trouble' }, `No answer came from broker ${answer.silentBrokers.join(', ')}: groups may be missing.`) : null,
      answer.loadingShards ? h('p', { class: 'trouble' }, `This node's coordinator is loading ${plural(answer.loadingShards, 'shard')}: groups may be missing.`) : null,
      table('Groups of the cluster', GROUP_COLUMNS, answer.groups.map(group => [
        link(`#/groups/${encodeURIComponent(group.groupId)}`, group.groupId), state(group.state), count(group.members), count(group.partitions),
        count(group.lagRecords), seconds(group.lagSeconds), count(group.coordinator)]), { id: 'groups', empty: 'There are no groups.' }),
      answer.leftOff ? h('p', { class: 'quiet' }, `${plural(answer.leftOff, 'more group')}.`) : null);
  });
  return 'Groups';
}

/** Of each group that was looked at since the page was loaded; the last few of them. */
const histories = new Map();
const MOST_HISTORIES = 20;

function historiesOf(id) {
  if (!histories.has(id)) {
    histories.set(id, { records: new History(), seconds: new History() });
    if (histories.size > MOST_HISTORIES) {
      histories.delete(histories.keys().next().value);
    }
  }
  return histories.get(id);
}

export function group(root, page) {
  const [id] = page.parameters;
  const kept = historiesOf(id);
  const head = h('section', { 'aria-label': 'State' });
  const why = h('section', { 'aria-labelledby': 'why-heading' });
  const records = h('figure', {});
  const ages = h('figure', {});
  const plots = h('section', { class: 'plots', 'aria-label': 'Lag over time' }, records, ages);
  const positions = h('section', { 'aria-labelledby': 'positions-heading' });
  const members = h('section', { 'aria-labelledby': 'members-heading' });
  root.append(head, why, plots, positions, members);
  page.every(2000, async () => {
    const answer = await ask(path('groups', id), page);
    fill(head, facts([
      ['State', state(answer.state)], ['Lag in records', count(answer.lagRecords), { id: 'lag-records', 'data-value': answer.lagRecords }],
      ['Lag in time', seconds(answer.lagSeconds), { id: 'lag-seconds', 'data-value': answer.lagSeconds ?? '' }],
      ['Members', count(answer.members.length)], ['Coordinator', `node ${answer.coordinator}`],
      ['Kind', answer.type || UNKNOWN], ['Assignor', answer.assignor || UNKNOWN]]));
    kept.records.add(answer.atMs, [answer.lagRecords]);
    kept.seconds.add(answer.atMs, [answer.lagSeconds]);
    draw(records, 'Lag in records', ['all partitions'], kept.records, count);
    draw(ages, 'Lag in time: age of the oldest unread record', ['oldest'], kept.seconds, seconds);
    fill(positions, h('h2', { id: 'positions-heading' }, 'Where it stands'), table(`Positions of ${id}`, POSITION_COLUMNS, answer.partitions.map(one => [
      topicLink(one.topic), count(one.partition), count(one.committedOffset), count(one.endOffset), count(one.lagRecords), seconds(one.lagSeconds),
      seconds(one.stillSeconds), instant(one.committedMs), one.member === null ? UNKNOWN : h('code', {}, one.member)]), { id: 'positions', empty: 'Nothing is committed.' }),
    h('p', { class: 'quiet' }, '"Has stood for" is how long the position has been seen where it is, since somebody looked. When it was committed is known by the coordinator alone; other nodes do not tell it.'));
    fill(members, h('h2', { id: 'members-heading' }, 'Members'), table(`Members of ${id}`, MEMBER_COLUMNS, answer.members.map(one =>
      [h('code', {}, one.id), one.clientId, one.host, count(one.partitions)]), { id: 'members', empty: 'It has no members.' }));
  });
  page.every(4000, async () => {
    const answer = await ask(path('groups', id, 'why'), page);
    fill(why, h('h2', { id: 'why-heading' }, 'How it is, and why'), findingList(answer.findings));
  });
  return `Group ${id}`;
}
