import { ask, path } from './api.js';
import { announce, badge, fill, h, table } from './dom.js';
import { plural, UNKNOWN } from './format.js';
import { topicTabs } from './topics.js';

const COLUMNS = [
  { title: 'Setting', head: true }, { title: 'Value' }, { title: 'Where it comes from' }, { title: 'Change' }, { title: 'Other places' },
];

const SOURCES = {
  DYNAMIC_TOPIC_CONFIG: 'set for this topic',
  DYNAMIC_BROKER_CONFIG: 'set for this broker, at run time',
  DYNAMIC_DEFAULT_BROKER_CONFIG: 'set for all brokers, at run time',
  STATIC_BROKER_CONFIG: 'set when the broker was started',
  DEFAULT_CONFIG: 'default',
  DYNAMIC_GROUP_CONFIG: 'set for this group',
};

export function sourceWord(source) {
  return SOURCES[source] ?? source;
}

function value(config) {
  return config.sensitive ? 'hidden' : config.value === null ? UNKNOWN : config.value === '' ? h('span', { class: 'quiet' }, 'empty') : h('code', {}, config.value);
}

function row(config) {
  return [
    h('details', { class: 'setting' }, h('summary', {}, h('code', {}, config.name)), h('p', {}, config.documentation)),
    value(config),
    h('span', { title: config.source }, config.isDefault ? sourceWord(config.source) : badge(sourceWord(config.source), 'note')),
    h('span', { class: 'brief' }, config.readOnly ? 'needs a restart' : 'any time'),
    h('span', { class: 'anywhere' }, config.synonyms.slice(1).map(other => `${sourceWord(other.source)}: ${other.value === '' ? 'empty' : other.value ?? UNKNOWN}`).join('; ') || UNKNOWN),
  ];
}

/** Settings with where they come from; those that somebody made first of all. */
export function configTable(section, page, from) {
  const all = h('input', { type: 'checkbox', id: 'all-settings' });
  const filter = h('input', { type: 'search', id: 'setting-filter', autocomplete: 'off' });
  const shown = h('div', {});
  section.append(
    h('h2', { id: 'settings-heading' }, 'Settings'),
    h('div', { class: 'controls' },
      h('label', { for: 'setting-filter' }, 'Name contains'), filter,
      h('span', { class: 'check' }, all, h('label', { for: 'all-settings' }, 'Defaults too'))), shown);
  let configs = null;
  let said = '';
  const draw = () => {
    const wanted = (configs ?? []).filter(config => (all.checked || !config.isDefault) && config.name.includes(filter.value.trim()));
    fill(shown, said ? h('p', { class: 'quiet' }, said)
      : table(all.checked ? 'All settings' : 'Settings that somebody made', COLUMNS, wanted.map(row),
        { id: 'settings', empty: all.checked ? 'No setting has such a name.' : 'Nobody has set anything: all are at their defaults.' }));
  };
  const changed = () => {
    draw();
    announce(`${plural(shown.querySelectorAll('tbody th').length, 'setting')} shown`);
  };
  all.addEventListener('change', changed);
  filter.addEventListener('input', changed);
  page.every(30_000, async () => {
    try {
      const now = (await ask(from, page)).configs;
      if (configs !== null && said === '' && JSON.stringify(now) === JSON.stringify(configs)) {
        // What is unfolded stays so.
        return;
      }
      configs = now;
      said = '';
    } catch (e) {
      if (e.status !== 404) {
        throw e;
      }
      said = e.message;
    }
    draw();
  });
}

export function topicConfigs(root, page) {
  const [name] = page.parameters;
  const section = h('section', { 'aria-labelledby': 'settings-heading' });
  root.append(topicTabs(name, 'settings'), section);
  configTable(section, page, path('topics', name, 'configs'));
  return `Topic ${name}: settings`;
}
