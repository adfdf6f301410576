// How numbers of the interface are written. The number itself stays: it is the title of what is shortened.

import { h } from './dom.js';

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export const UNKNOWN = '–';

export function count(number) {
  return number === null || number === undefined ? UNKNOWN : WHOLE.format(number);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function bytes(number) {
  if (number === null || number === undefined) {
    return UNKNOWN;
  }
  let value = number;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? WHOLE.format(value) : value.toFixed(value < 10 ? 2 : 1)} ${UNITS[unit]}`;
}

/** What a number is written in; a plot's marks are round in it. */
bytes.unit = number => 1024 ** Math.max(0, Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, number)) / 10)));

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

seconds.unit = number => (number < 120 ? 1 : number < 7200 ? 60 : number < 172_800 ? 3600 : 86_400);

export function instant(ms) {
  if (ms === null || ms === undefined) {
    return UNKNOWN;
  }
  const text = new Date(ms).toISOString();
  return h('time', { datetime: text }, text.replace('T', ' ').replace('Z', ' UTC'));
}

export function ids(list) {
  return list.length ? list.join(', ') : UNKNOWN;
}

export function plural(number, one, many = one + 's') {
  return `${count(number)} ${number === 1 ? one : many}`;
}
