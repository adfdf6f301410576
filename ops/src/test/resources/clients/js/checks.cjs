// Runs checks one after the other and prints one line for each: `ok NAME (N s)` or `FAIL NAME: why`.
// Every check has a deadline; waiting is always for a condition (`until`), never for a time alone.
'use strict';

const [, , bootstrap, prefix, phase = 'all'] = process.argv;
let failed = 0;

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function check(name, body, seconds = 60) {
  const started = Date.now();
  let timer;
  const deadline = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${seconds} s`)), seconds * 1000);
  });
  try {
    await Promise.race([body(), deadline]);
    console.log(`ok ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    const causes = (error.errors ?? []).map(cause => cause.message).join('; ');
    console.log(`FAIL ${name}: ${String(error.stack ?? error).replaceAll('\n', ' ').slice(0, 600)} ${causes}`);
  } finally {
    clearTimeout(timer);
  }
}

async function until(what, condition, seconds = 30) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await pause(50);
  }
}

// Compares lists element by element, so that a failure names the first difference.
function same(expected, actual, what = 'values') {
  const plain = value => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v));
  for (let i = 0; i < Math.min(expected.length, actual.length); i++) {
    const left = plain(expected[i]), right = plain(actual[i]);
    if (left !== right) throw new Error(`${what} differ at ${i}: expected ${left.slice(0, 200)}, got ${right.slice(0, 200)}`);
  }
  if (expected.length !== actual.length) throw new Error(`${what}: expected ${expected.length}, got ${actual.length}`);
}

function equal(expected, actual, what = 'value') {
  same([expected], [actual], what);
}

// A small seeded generator (mulberry32), so that a failing run can be repeated.
function seeded(seed) {
  let state = seed >>> 0;
  return bound => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  };
}

// Records with null and empty keys and values and every byte value; headers as [name, bytes].
function sampleRecords(seed, count) {
  const next = seeded(seed);
  const bytes = length => Buffer.from(Array.from({ length }, () => next(256)));
  return Array.from({ length: count }, (_, index) => ({
    key: [null, Buffer.alloc(0), Buffer.from(`key-${index % 7}`), bytes(20)][next(4)],
    value: [null, Buffer.alloc(0), Buffer.from('text '.repeat(next(200))), bytes(next(3000))][next(4)],
    headers: ['a', 'b', 'trace-id'].slice(0, next(4)).map(name => [name, bytes(next(9))]),
    timestamp: 1_700_000_000_000 + index * 1000,
  }));
}

const hex = buffer => (buffer === null || buffer === undefined ? null : buffer.toString('hex'));

function end() {
  process.exit(failed ? 1 : 0);
}

module.exports = { bootstrap, prefix, phase, check, until, same, equal, sampleRecords, hex, pause, end };
