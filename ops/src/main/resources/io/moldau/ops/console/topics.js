import { ask, path, query } from './api.js';
import { announce, badge, facts, fill, h, link, table } from './dom.js';
import { findingList } from './findings.js';
import { count, ids, plural, sized, UNKNOWN } from './format.js';

const TOPIC_COLUMNS = [
  { title: 'Topic', head: true }, { title: 'Partitions', number: true }, { title: 'Replicas', number: true },
  { title: 'Offline', number: true }, { title: 'Under-replicated', number: true }, { title: 'State' },
];

const PARTITION_COLUMNS = [
  { title: 'Partition', head: true, number: true }, { title: 'State' }, { title: 'Leader', number: true }, { title: 'In sync' },
  { title: 'Replicas' }, { title: 'Epoch', number: true }, { title: 'First offset', number: true }, { title: 'End offset', number: true },
  { title: 'Size here', number: true }, { title: 'Segments here', number: true }, { title: 'Look' },
];

function place(...parts) {
  return '#/' + parts.map(encodeURIComponent).join('/');
}

export function topicLink(name) {
  return link(place('topics', name), name);
}

/** The pages of one topic. */
export function topicTabs(name, open) {
  const tabs = [['partitions', 'Partitions', place('topics', name)], ['messages', 'Messages', place('topics', name, 'messages')],
    ['settings', 'Settings', place('topics', name, 'settings')]];
  return h('nav', { class: 'tabs', 'aria-label': `Topic ${name}` }, h('ul', {}, tabs.map(([id, title, href]) =>
    h('li', {}, link(href, title, { 'aria-current': id === open ? 'page' : null })))));
}

function topicState(topic) {
  return topic.offlinePartitions ? badge('offline', 'bad') : topic.underReplicatedPartitions ? badge('under-replicated', 'warn')
    : badge('well', 'good');
}

export function topics(root, page) {
  const filter = h('input', { type: 'search', id: 'topic-filter', autocomplete: 'off' });
  const internal = h('input', { type: 'checkbox', id: 'internal' });
  const shown = h('div', {});
  root.append(h('div', { class: 'controls' }, h('label', { for: 'topic-filter' }, 'Name contains'), filter,
    h('span', { class: 'check' }, internal, h('label', { for: 'internal' }, 'Internal topics too'))), shown);
  const look = async () => {
    const answer = await ask('/api/v1/topics' + query({ name: filter.value.trim() }), page);
    const wanted = answer.topics.filter(topic => internal.checked || !topic.internal);
    fill(shown,
      table('Topics', TOPIC_COLUMNS, wanted.map(topic => [
        topicLink(topic.name), count(topic.partitions), count(topic.replicationFactor), count(topic.offlinePartitions),
        count(topic.underReplicatedPartitions), topicState(topic)]), { id: 'topics', empty: 'There is no such topic.' }),
      answer.leftOff ? h('p', { class: 'quiet' }, `${plural(answer.leftOff, 'more topic')} of ${count(answer.total)}: say more of the name.`) : null);
  };
  const changed = async () => {
    await look();
    announce(`${plural(shown.querySelectorAll('tbody th').length, 'topic')} shown`);
  };
  filter.addEventListener('input', () => changed().catch(e => page.fail(e)));
  internal.addEventListener('change', () => changed().catch(e => page.fail(e)));
  page.every(5000, look);
  return 'Topics';
}

function partitionState(partition) {
  return partition.offline ? badge('offline', 'bad') : partition.underMinIsr ? badge('under min ISR', 'bad')
    : partition.underReplicated ? badge('under-replicated', 'warn') : badge('well', 'good');
}

export function topic(root, page) {
  const [name] = page.parameters;
  const shown = h('section', { 'aria-label': 'Partitions' });
  const why = h('section', { 'aria-labelledby': 'why-heading', id: 'why', hidden: true });
  root.append(topicTabs(name, 'partitions'), why, shown);
  let from = 0;

  const explain = async partition => {
    try {
      const answer = await ask(path('topics', name, 'partitions', partition, 'why'), page);
      why.hidden = false;
      fill(why, h('h2', { id: 'why-heading', tabindex: '-1' }, `Why partition ${partition} is as it is`), findingList(answer.findings));
      why.querySelector('h2').focus();
    } catch (e) {
      page.fail(e);
    }
  };

  const look = async () => {
    const topic = await ask(path('topics', name) + query({ from }), page);
    const step = (to, title) => h('button', { type: 'button', onclick: () => {
      from = to;
      look().catch(e => page.fail(e));
    } }, title);
    fill(shown,
      facts([
        ['Partitions', count(topic.partitionCount)], ['Replicas', count(topic.replicationFactor)],
        ['min.insync.replicas', count(topic.minInsyncReplicas)], ['Id', h('code', {}, topic.id)],
        ['Kind', topic.internal ? 'internal' : 'ordinary']]),
      table(`Partitions of ${name}`, PARTITION_COLUMNS, topic.partitions.map(partition => [
        count(partition.partition), partitionState(partition), partition.leader === null ? 'none' : partition.leader,
        ids(partition.isr), ids(partition.replicas), count(partition.leaderEpoch), count(partition.startOffset), count(partition.endOffset),
        partition.local ? sized(partition.local.sizeInBytes) : UNKNOWN, partition.local ? count(partition.local.segments) : UNKNOWN,
        h('span', { class: 'actions' },
          h('button', { type: 'button', 'aria-label': `Why partition ${partition.partition} is as it is`,
            onclick: () => explain(partition.partition) }, 'Why'), ' ',
          link(place('topics', name, 'messages') + query({ partition: partition.partition, start: 'newest' }), 'Messages',
            { 'aria-label': `Messages of partition ${partition.partition}` })),
      ]), { id: 'partitions' }),
      h('p', { class: 'quiet' }, 'Offsets are the leader’s, up to the high watermark. Size and segments are those of the replica on this node; a dash where it has none.'),
      from > 0 || topic.leftOff ? h('p', { class: 'controls' }, from > 0 ? step(0, 'First partitions') : null,
        topic.leftOff ? step(topic.partitions.at(-1).partition + 1, `Next of ${plural(topic.leftOff, 'more partition')}`) : null) : null);
  };
  page.every(5000, look);
  return `Topic ${name}`;
}
