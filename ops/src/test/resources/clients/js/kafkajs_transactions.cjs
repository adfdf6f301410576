// What kafkajs's transactional producer is told, and what consumers then see: a line for each observation, to be compared.
// Every log ends with a record that is in no transaction, so that readers know when they are at the end.
'use strict';

const { Kafka, logLevel } = require('kafkajs');
const { bootstrap, prefix, until } = require('./checks.cjs');

const kafka = new Kafka({ clientId: prefix, brokers: [bootstrap], logLevel: logLevel.NOTHING, retry: { initialRetryTime: 50 } });
const admin = kafka.admin();

const observed = (what, value) => console.log(`ok ${what}: ${JSON.stringify(value)}`);

async function topic(name) {
  const full = `${prefix}-${name}`;
  await admin.createTopics({ topics: [{ topic: full, numPartitions: 1 }], waitForLeaders: true });
  return full;
}

async function producer(name, transactionTimeout = 60_000) {
  const made = kafka.producer({ transactionalId: `${prefix}-${name}`, maxInFlightRequests: 1, idempotent: true, transactionTimeout });
  await made.connect();
  return made;
}

async function outcome(call) {
  try {
    await call();
    return 'done';
  } catch (error) {
    return `${error.name} ${error.type ?? error.cause?.type ?? ''}`;
  }
}

async function write(to, values, transaction) {
  const messages = values.map(value => ({ value, partition: 0 }));
  if (transaction) {
    return (await transaction.send({ topic: to, messages })).map(it => it.baseOffset);
  }
  const plain = kafka.producer();
  await plain.connect();
  await plain.send({ topic: to, messages });
  await plain.disconnect();
  return [];
}

let readers = 0;

async function records(full, readUncommitted, last) {
  const consumer = kafka.consumer({ groupId: `${prefix}-reader-${readers++}`, readUncommitted, maxWaitTimeInMs: 200 });
  const seen = [];
  await consumer.connect();
  await consumer.subscribe({ topic: full, fromBeginning: true });
  await consumer.run({
    eachMessage: async it => {
      seen.push(`${it.message.offset}=${it.message.value}`);
    },
  });
  await until(`the end of ${full}`, () => seen.at(-1)?.endsWith(`=${last}`));
  await consumer.disconnect();
  return seen;
}

async function read(name, full, readUncommitted) {
  observed(`${name} ${readUncommitted ? 'read_uncommitted' : 'read_committed'}`, await records(full, readUncommitted, 'end'));
}

async function both(name, full, last) {
  // When it is seen, the end of its transaction is in the log, and the next record has the same offset every time.
  await records(full, false, last);
  await write(full, ['end']);
  await read(name, full, false);
  await read(name, full, true);
}

async function commitAndAbort() {
  const log = await topic('ends'), p = await producer('ends');
  let t = await p.transaction();
  observed('committed records', await write(log, ['c1', 'c2'], t));
  observed('commit', await outcome(() => t.commit()));
  t = await p.transaction();
  observed('aborted records', await write(log, ['a1'], t));
  observed('abort', await outcome(() => t.abort()));
  t = await p.transaction();
  await write(log, ['c3'], t);
  observed('last commit', await outcome(() => t.commit()));
  await p.disconnect();
  await both('ends', log, 'c3');
}

async function fencing() {
  const log = await topic('fenced'), zombie = await producer('fenced');
  const t = await zombie.transaction();
  await write(log, ['z1'], t);
  const successor = await producer('fenced');
  const s = await successor.transaction();
  observed("zombie's record", await outcome(() => write(log, ['z2'], t)));
  observed("zombie's commit", await outcome(() => t.commit()));
  await write(log, ['s1'], s);
  observed("successor's commit", await outcome(() => s.commit()));
  await zombie.disconnect();
  await successor.disconnect();
  await both('fenced', log, 's1');
}

async function timeOut() {
  const log = await topic('slow'), p = await producer('slow', 1000);
  const t = await p.transaction();
  await write(log, ['t1'], t);
  await write(log, ['end']);
  // The reader waits for the coordinator to abort it.
  await read('time-out', log, false);
  observed('commit after the time-out', await outcome(() => t.commit()));
  await read('time-out', log, true);
  await p.disconnect();
}

async function offsets() {
  const log = await topic('source'), p = await producer('offsets'), groupId = `${prefix}-offsets`;
  await write(log, ['1', '2', '3', '4']);
  const committed = async () => (await admin.fetchOffsets({ groupId, topics: [log] }))[0].partitions[0].offset;
  for (const [offset, end] of [['2', 'commit'], ['3', 'abort'], ['4', 'commit']]) {
    const t = await p.transaction();
    // The end of the transaction before may not be written everywhere yet, and kafkajs does not try this again by itself.
    await until('offsets to be taken', async () => {
      const told = await outcome(() => t.sendOffsets({ consumerGroupId: groupId, topics: [{ topic: log, partitions: [{ partition: 0, offset }] }] }));
      if (told !== 'done' && !told.includes('CONCURRENT_TRANSACTIONS')) throw new Error(told);
      return told === 'done';
    });
    await t[end]();
    observed(`offset after ${end}`, await committed());
  }
  await p.disconnect();
}

(async () => {
  await admin.connect();
  for (const scenario of [commitAndAbort, fencing, timeOut, offsets]) await scenario();
  await admin.disconnect();
})().catch(error => {
  console.log(`FAIL ${error.stack}`.replaceAll('\n', ' '));
  process.exit(1);
});
