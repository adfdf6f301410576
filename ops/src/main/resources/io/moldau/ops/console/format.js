// How numbers of the interface are written. The number itself stays: it is the title of what is shortened.

import { h } from './dom.js';

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export const UNKNOWN = '–';

export function count(number) {
  return number === null || number === undefined ? UNKNOWN : WHOLE.format(number);
}

export function bytes(number) {
  if (number === null || number === undefined) {
    return UNKNOWN;
  }
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = number;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? WHOLE.format(value) : value.toFixed(value < 10 ? 2 : 1)} ${units[unit]}`;
}

/** The same with all digits behind it. */
export function sized(number) {
  return number === null || number === undefined ? UNKNOWN
    : h('span', { title: `${WHOLE.format(number)} bytes`, 'data-value': number }, bytes(number));
}

export function rate(number) {
  return number === null || number === undefined ? UNKNOWN : number < 1000 ? SHORT.format(number) : WHOLE.format(number);
}

export function millis(number) {
  return number === null || number === undefined ? UNKNOWN : `${SHORT.format(number)} ms`;
}

export function seconds(number) {
  if (number === null || number === undefined) {
    return UNKNOWN;
  }
  if (number < 120) {
    return `${SHORT.format(number)} s`;
  }
  if (number < 7200) {
    return `${SHORT.format(number / 60)} min`;
  }
  return number < 172_800 ? `${SHORT.format(number / 3600)} h` : `${SHORT.format(number / 86_400)} d`;
}

export function instant(ms) {
  return ms === null || ms === undefined ? UNKNOWN : new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

export function ids(list) {
  return list.length ? list.join(', ') : UNKNOWN;
}

export function plural(number, one, many = one + 's') {
  return `${count(number)} ${number === 1 ? one : many}`;
}
