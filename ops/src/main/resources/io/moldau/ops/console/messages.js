import { ask, path, query } from './api.js';
import { announce, badge, fill, h, link, table } from './dom.js';
import { count, instant, plural, UNKNOWN } from './format.js';
import { topicTabs } from './topics.js';

const COLUMNS = [
  { title: 'Partition', number: true }, { title: 'Offset', head: true, number: true }, { title: 'Key' }, { title: 'Value' }, { title: 'Time' }, { title: 'More' },
];

const KINDS = { commit: 'good', abort: 'warn', control: 'note', unreadable: 'bad' };

const STOPPED = {
  limit: 'It stopped at the number of records that were asked for.',
  end: 'It came to the end of the partition.',
  bound: 'It stopped since one search looks at no more; "Go on" looks further.',
};

function shown(bytes) {
  if (bytes === null) {
    return h('span', { class: 'quiet' }, 'null');
  }
  const text = bytes.text === '' ? h('span', { class: 'quiet' }, 'empty')
    : h('code', { class: bytes.text === null ? 'hex' : 'text' }, bytes.text ?? bytes.hex);
  return h('span', {}, bytes.text === null ? badge('hex', 'note') : null, text,
    bytes.truncated ? h('span', { class: 'quiet' }, ` … of ${plural(bytes.size, 'byte')}`) : null);
}

function row(partition, record) {
  const data = record.kind === 'data';
  return [
    count(partition), count(record.offset),
    data ? shown(record.key) : badge(record.kind, KINDS[record.kind]),
    data ? shown(record.value) : record.kind === 'unreadable' ? shown(record.value) : h('span', { class: 'quiet' }, `of producer ${record.producerId ?? UNKNOWN}`),
    instant(record.timestampMs),
    h('details', {}, h('summary', { 'aria-label': `More of offset ${record.offset}` },
      record.headers.length ? plural(record.headers.length, 'header') : 'details'),
    h('dl', { class: 'small' }, [
      ...record.headers.map(header => [`Header ${header.name}`, shown(header.value)]),
      ['Time is', record.timestampType], ['Batch begins at', count(record.batchOffset)], ['Compression', record.compression],
      ['Leader epoch', count(record.leaderEpoch)], ['Producer id', record.producerId ?? UNKNOWN], ['Transactional', record.transactional ? 'yes' : 'no'],
    ].map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))))),
  ];
}

function timestamp(text) {
  return /^\d+$/.test(text) ? Number(text) : Date.parse(text);
}

function field(id, title, input, hint = null) {
  input.id = id;
  if (hint) {
    input.setAttribute('aria-describedby', `${id}-hint`);
  }
  return h('div', { class: 'field' }, h('label', { for: id }, title), input, hint ? h('span', { class: 'hint', id: `${id}-hint` }, hint) : null);
}

function options(values, chosen) {
  return values.map(([value, title]) => h('option', { value, selected: value === chosen }, title));
}

export function messages(root, page) {
  const [name] = page.parameters;
  const asked = page.query;
  const partition = h('select', {});
  const start = h('select', {}, options([['newest', 'the newest'], ['oldest', 'the oldest'], ['offset', 'an offset'], ['time', 'a time']], asked.get('start') ?? 'newest'));
  const at = h('input', { type: 'text', autocomplete: 'off', value: asked.get('at') ?? '' });
  const key = h('input', { type: 'text', autocomplete: 'off', value: asked.get('key') ?? '' });
  const form = h('select', {}, options([['text', 'text'], ['hex', 'hexadecimal']], asked.get('form') ?? 'text'));
  const limit = h('input', { type: 'number', min: 1, max: 500, value: asked.get('limit') ?? 50 });
  const atField = field('at', 'Where', at, 'An offset; or a time such as 2026-11-30T14:00:00Z, or milliseconds since 1970');
  const result = h('section', { 'aria-labelledby': 'result-heading' });
  const search = h('form', { class: 'search', role: 'search', 'aria-label': `Messages of ${name}` },
    field('partition', 'Partition', partition), field('start', 'Begin with', start), atField,
    field('key', 'Only with key', key), field('form', 'The key is', form), field('limit', 'At most', limit),
    h('button', { type: 'submit', class: 'main' }, 'Look'));
  const hints = () => {
    const wanted = start.value === 'offset' || start.value === 'time';
    atField.hidden = !wanted;
    at.required = wanted;
  };
  hints();
  start.addEventListener('change', hints);
  at.addEventListener('input', () => at.setCustomValidity(''));
  search.addEventListener('submit', event => {
    event.preventDefault();
    if (start.value === 'time' && Number.isNaN(timestamp(at.value.trim()))) {
      at.setCustomValidity('This is no time. Write one such as 2026-11-30T14:00:00Z, or milliseconds since 1970.');
      at.reportValidity();
      return;
    }
    const to = '#' + `/topics/${encodeURIComponent(name)}/messages` + query({
      partition: partition.value, start: start.value, at: atField.hidden ? '' : at.value.trim(), key: key.value, form: key.value ? form.value : '', limit: limit.value });
    if (to === location.hash) {
      look().catch(e => page.fail(e));
    } else {
      location.hash = to;
    }
  });
  root.append(topicTabs(name, 'messages'), search, result);

  const begin = () => {
    switch (start.value) {
      case 'offset': return { offset: at.value.trim() };
      case 'time': return { time: timestamp(at.value.trim()) };
      case 'newest': return { newest: true };
      default: return {};
    }
  };
  const keyed = () => key.value === '' ? {} : form.value === 'hex' ? { keyHex: key.value.replaceAll(' ', '') } : { key: key.value };

  const goTo = (offset, title, id) => link('#' + `/topics/${encodeURIComponent(name)}/messages` + query({
    partition: partition.value, start: 'offset', at: offset, key: key.value, form: key.value ? form.value : '', limit: limit.value }), title, { class: 'button', id });

  const look = async () => {
    fill(result, h('p', { class: 'quiet', role: 'status' }, 'Looking.'));
    if (partition.value === 'all') {
      const answer = await ask(path('topics', name, 'find') + query({ ...(start.value === 'time' ? begin() : {}), ...keyed(), limit: limit.value }), page);
      const left = answer.searched.filter(one => one.stopped !== 'end');
      const said = `${plural(answer.hits.length, 'record')} found. ${plural(answer.scannedRecords, 'record')} looked at in ${plural(answer.searched.length, 'partition')}, of at most ${count(answer.bounds.records)}.`;
      fill(result, h('h2', { id: 'result-heading' }, 'What was found'), h('p', { id: 'scanned' }, said),
        answer.complete ? null : h('div', { class: 'trouble' }, h('p', {}, 'Not everything was looked at:'), h('ul', {}, left.map(one => h('li', {},
          `partition ${one.partition}: ${one.why || (one.stopped === 'left' ? 'not at all' : `up to offset ${one.nextOffset}`)}`)),
        answer.leftOff ? h('li', {}, `${plural(answer.leftOff, 'more partition')}: not at all`) : null)),
        table(`Records of ${name}`, COLUMNS, answer.hits.map(hit => row(hit.partition, hit.record)), { id: 'records', empty: 'No record has this key.' }));
      announce(said);
      return;
    }
    const answer = await ask(path('topics', name, 'partitions', partition.value, 'records') + query({ ...begin(), ...keyed(), limit: limit.value }), page);
    const said = `${plural(answer.records.length, 'record')} of ${plural(answer.scannedRecords, 'record')} looked at. ${STOPPED[answer.stopped]}`;
    fill(result, h('h2', { id: 'result-heading' }, 'What was found'),
      h('p', { id: 'scanned' }, said, ` One search looks at ${count(answer.bounds.records)} records at most.`),
      h('p', { class: 'quiet' }, `Partition ${answer.partition}, led by node ${answer.leader}, has offsets ${count(answer.logStartOffset)} up to ${count(answer.highWatermark)}.`),
      table(`Records of ${name}-${answer.partition}`, COLUMNS, answer.records.map(record => row(answer.partition, record)),
        { id: 'records', empty: answer.startOffset === null ? 'No record is as young.' : 'There is none.' }),
      h('p', { class: 'controls' }, answer.previousOffset === null ? null : goTo(answer.previousOffset, 'Older', 'older'),
        answer.stopped === 'end' ? null : goTo(answer.nextOffset, answer.stopped === 'bound' ? 'Go on' : 'Newer', 'newer')));
    announce(said);
  };

  (async () => {
    try {
      const topic = await ask(path('topics', name) + query({ limit: 2000 }), page);
      partition.append(...options([['all', 'all, by key'], ...topic.partitions.map(one => [String(one.partition), String(one.partition)])], asked.get('partition') ?? '0'));
      if (asked.has('start') || asked.has('key')) {
        await look();
      } else {
        fill(result, h('p', { class: 'quiet' }, 'Say what to look for. Nothing is read before.'));
      }
    } catch (e) {
      if (!page.signal.aborted) {
        fill(result);
        page.fail(e);
      }
    }
  })();
  return `Topic ${name}: messages`;
}
