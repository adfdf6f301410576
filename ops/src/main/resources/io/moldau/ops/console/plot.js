// A plot of some numbers over the last minutes. The numbers are the interface's; here they are only drawn.

const NS = 'http://www.w3.org/2000/svg';
const HEIGHT = 190;
const NARROW = 440;
const LETTER = 7.2;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 24;

/** So much is kept; a look every two seconds makes 150 of them. */
export const KEPT_MS = 5 * 60_000;
const MOST_POINTS = 600;

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Points of several lines: { at, values }, the oldest first. */
export class History {
  constructor() {
    this.points = [];
  }

  add(at, values) {
    const last = this.points.at(-1);
    if (last && at <= last.at) {
      return;
    }
    this.points.push({ at, values });
    while (this.points.length > MOST_POINTS || at - this.points[0].at > KEPT_MS) {
      this.points.shift();
    }
  }
}

/** A number that is not less, and is round in the unit it will be written in. */
export function roundUp(number, unit = 1) {
  if (!(number > 0)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(number / unit));
  return [1, 2, 4, 5, 10].map(step => step * power).find(step => step >= number / unit * 0.999999) * unit;
}

/** Pieces of a line: it breaks where a number is not known, and over a time nobody looked. */
function pieces(points, line, x, y) {
  const paths = [];
  let current = [];
  let before = null;
  for (const point of points) {
    const value = point.values[line];
    if (value === null || value === undefined || (before !== null && point.at - before > 15_000)) {
      if (current.length) {
        paths.push(current);
      }
      current = [];
    }
    if (value !== null && value !== undefined) {
      current.push([x(point.at), y(value)]);
      before = point.at;
    }
  }
  if (current.length) {
    paths.push(current);
  }
  return paths;
}

/** Draws into `figure`. Lines: names, in the order of the values. `format` writes a value. */
export function draw(figure, title, lines, history, format) {
  figure.className = 'plot';
  const points = history.points;
  const now = points.at(-1)?.at ?? 0;
  const known = points.flatMap(point => point.values).filter(value => value !== null && value !== undefined);
  const most = Math.max(0, ...known);
  const top = roundUp(most, format.unit?.(most));
  const marks = [0, 0.5, 1].map(part => [top * part, format(top * part)]);
  const width = Math.max(260, figure.clientWidth || 640);
  const left = 12 + LETTER * Math.max(...marks.map(([, text]) => text.length));
  const x = at => left + (width - left - RIGHT) * (1 - (now - at) / KEPT_MS);
  const y = value => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const latest = points.at(-1)?.values ?? [];
  const said = lines.map((name, i) => `${name} ${format(latest[i])}`).join(', ');
  const picture = svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': `${title}, last five minutes. Now: ${said}.` });
  for (const [value, text] of marks) {
    picture.append(
      svg('line', { class: 'grid', x1: left, x2: width - RIGHT, y1: y(value), y2: y(value) }),
      svg('text', { class: 'axis', x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, text));
  }
  for (const minutes of width < NARROW ? [4, 2, 0] : [5, 4, 3, 2, 1, 0]) {
    const at = x(now - minutes * 60_000);
    picture.append(svg('text', {
      class: 'axis', x: at, y: HEIGHT - 6, 'text-anchor': minutes === 0 ? 'end' : minutes === 5 ? 'start' : 'middle',
    }, minutes === 0 ? 'now' : `−${minutes} min`));
  }
  lines.forEach((name, i) => {
    for (const piece of pieces(points, i, x, y)) {
      const d = piece.map(([px, py], at) => `${at ? 'L' : 'M'}${px.toFixed(1)} ${py.toFixed(1)}`).join('');
      picture.append(piece.length === 1
        ? svg('circle', { class: `dot line-${i}`, cx: piece[0][0], cy: piece[0][1], r: 2.5 })
        : svg('path', { class: `curve line-${i}`, d }));
    }
  });
  const legend = document.createElement('p');
  legend.className = 'legend';
  lines.forEach((name, i) => {
    const mark = document.createElement('span');
    mark.className = `key line-${i}`;
    const value = document.createElement('b');
    value.textContent = format(latest[i]);
    value.dataset.value = latest[i] ?? '';
    const item = document.createElement('span');
    item.className = 'item';
    item.append(mark, ` ${name} `, value);
    legend.append(item);
  });
  const caption = document.createElement('figcaption');
  caption.textContent = title;
  figure.replaceChildren(caption, legend, picture);
}
