// Makes elements. Text is only ever put in as text, so that nothing in a record or a name becomes markup.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** A table. Columns: { title, number?, head? }; cells are text or elements. */
export function table(caption, columns, rows, { empty = 'There is nothing to show.', id = null } = {}) {
  const head = h('tr', {}, columns.map(column =>
    h('th', { scope: 'col', class: column.number ? 'number' : null }, column.title)));
  const body = rows.map(cells => h('tr', {}, cells.map((cell, i) => {
    const attributes = { class: columns[i].number ? 'number' : null };
    return columns[i].head ? h('th', { scope: 'row', ...attributes }, cell) : h('td', attributes, cell);
  })));
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h('table', { id }, h('caption', { class: 'unseen' }, caption), h('thead', {}, head),
      h('tbody', {}, rows.length ? body : h('tr', {}, h('td', { colspan: columns.length, class: 'quiet' }, empty)))));
}

/** Names with what they stand for. */
export function facts(pairs) {
  return h('dl', { class: 'facts' }, pairs.map(([name, value, attributes = {}]) =>
    h('div', {}, h('dt', {}, name), h('dd', attributes, value))));
}

/** A state in a word and a colour; the word is enough. */
export function badge(word, kind) {
  return h('span', { class: `badge ${kind}` }, word);
}

export function link(href, text, attributes = {}) {
  return h('a', { href, ...attributes }, text);
}

/** Replaces what is inside, and keeps the focus and the place of scrolled tables where they were. */
export function fill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const key = focused && (focused.id ? `#${CSS.escape(focused.id)}`
    : focused.getAttribute('href') ? `a[href="${CSS.escape(focused.getAttribute('href'))}"]`
      : focused.tagName === 'SUMMARY' ? 'summary'
        : focused.getAttribute('aria-label') ? `[aria-label="${CSS.escape(focused.getAttribute('aria-label'))}"]` : null);
  const scrolled = [...element.querySelectorAll('.scroll')].map(one => [one.scrollLeft, one.scrollTop]);
  element.replaceChildren(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  element.querySelectorAll('.scroll').forEach((one, i) => {
    if (scrolled[i]) {
      [one.scrollLeft, one.scrollTop] = scrolled[i];
    }
  });
  if (key) {
    element.querySelector(key)?.focus({ preventScroll: true });
  }
}

/** Says something to those who listen and do not look. */
export function announce(text) {
  document.getElementById('announcer').textContent = text;
}
