// kafkajs against a node.
'use strict';

const zlib = require('node:zlib');
const { Kafka, logLevel, Partitioners, CompressionTypes, CompressionCodecs, ConfigResourceTypes } = require('kafkajs');
const { bootstrap, prefix, phase, check, until, same, equal, sampleRecords, hex, end } = require('./checks.cjs');

// kafkajs brings gzip only; Node itself knows zstd.
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: async encoder => zlib.zstdCompressSync(encoder.buffer),
  decompress: async buffer => zlib.zstdDecompressSync(buffer),
});

const kafka = new Kafka({
  clientId: prefix,
  brokers: [bootstrap],
  logLevel: logLevel.NOTHING,
  retry: { retries: 8, initialRetryTime: 50 },
});
const admin = kafka.admin();
const partitionsOf = async topic => (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0].partitions.length;

async function create(suffix, numPartitions = 1) {
  const topic = `${prefix}-${suffix}`;
  await admin.createTopics({ topics: [{ topic, numPartitions, replicationFactor: 1 }] });
  await until(`${topic} is known`, async () => (await partitionsOf(topic)) === numPartitions);
  return topic;
}

async function withProducer(options, body) {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, ...options });
  await producer.connect();
  try {
    return await body(producer);
  } finally {
    await producer.disconnect();
  }
}

class Member {
  constructor(topic, group, options = {}) {
    this.topic = topic;
    this.messages = [];
    this.owned = new Set();
    this.consumer = kafka.consumer({
      groupId: group,
      sessionTimeout: 6000,
      rebalanceTimeout: 6000,
      heartbeatInterval: 300,
      maxWaitTimeInMs: 100,
      ...options,
    });
    this.consumer.on(this.consumer.events.GROUP_JOIN, ({ payload }) => {
      this.owned = new Set(payload.memberAssignment[topic] ?? []);
    });
  }

  async join() {
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [this.topic], fromBeginning: true });
    await this.consumer.run({
      eachMessage: async ({ partition, message }) => {
        this.messages.push({ partition, ...message });
      },
    });
    return this;
  }

  leave() {
    return this.consumer.disconnect();
  }
}

async function readAll(topic, count, group = `${topic}-reader`) {
  const member = await new Member(topic, group).join();
  try {
    await until(`${count} records`, () => member.messages.length >= count);
  } finally {
    await member.leave();
  }
  return member.messages;
}

function fairlySplit(members, partitions) {
  const owned = members.map(member => [...member.owned]);
  const sizes = owned.map(one => one.length);
  const all = owned.flat().sort((a, b) => a - b);
  return Math.max(...sizes) - Math.min(...sizes) <= 1 && all.length === partitions && all.every((p, i) => p === i);
}

async function topicsAndConfigs() {
  const topic = await create('admin', 2);
  if (!(await admin.listTopics()).includes(topic)) throw new Error('not listed');
  equal(false, await admin.createTopics({ topics: [{ topic, numPartitions: 2 }] }), 'creating it again');
  await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] });
  await until('three partitions', async () => (await partitionsOf(topic)) === 3);
  const type = ConfigResourceTypes.TOPIC;
  await admin.alterConfigs({ resources: [{ type, name: topic, configEntries: [{ name: 'retention.ms', value: '123456' }] }] });
  await until('altered', async () => {
    const { resources } = await admin.describeConfigs({ resources: [{ type, name: topic, configNames: ['retention.ms'] }] });
    return resources[0].configEntries[0].configValue === '123456';
  });
  equal(1, (await admin.describeCluster()).brokers.length, 'brokers');
  await admin.deleteTopics({ topics: [topic] });
  await until('it is gone', async () => !(await admin.listTopics()).includes(topic));
}

async function everyByteComesBack(compression) {
  const topic = await create(`bytes-${compression}`);
  const records = sampleRecords(compression + 1, 200);
  const messages = records.map(r => ({ ...r, timestamp: `${r.timestamp}`, partition: 0, headers: Object.fromEntries(r.headers) }));
  await withProducer({}, producer => producer.send({ topic, acks: -1, compression, messages }));
  const shape = (key, value, headers, timestamp) => [hex(key), hex(value), headers.map(([n, v]) => [n, hex(v)]), `${timestamp}`];
  same(
    records.map(r => shape(r.key, r.value, r.headers, r.timestamp)),
    (await readAll(topic, 200)).map(m => shape(m.key, m.value, Object.entries(m.headers), m.timestamp)),
    'records',
  );
}

async function idempotentProducer() {
  const topic = await create('idempotent', 2);
  await withProducer({ idempotent: true, maxInFlightRequests: 1 }, async producer => {
    for (let i = 0; i < 40; i++) await producer.send({ topic, messages: [{ value: `${i}`, partition: i % 2 }] });
  });
  const messages = await readAll(topic, 40);
  for (const partition of [0, 1]) {
    const expected = Array.from({ length: 20 }, (_, i) => `${2 * i + partition}`);
    same(expected, messages.filter(m => m.partition === partition).map(m => `${m.value}`));
  }
}

async function threeMembersJoinAndLeave() {
  const topic = await create('group', 6), group = `${prefix}-group`;
  const members = [];
  while (members.length < 3) {
    members.push(await new Member(topic, group).join());
    await until(`${members.length} share`, () => fairlySplit(members, 6));
  }
  const values = Array.from({ length: 300 }, (_, i) => `${i}`);
  await withProducer({}, producer => producer.send({ topic, messages: values.map((value, i) => ({ value, partition: i % 6 })) }));
  await until('all records are seen', () => new Set(members.flatMap(m => m.messages.map(r => `${r.value}`))).size === 300);
  const { groups } = await admin.describeGroups([group]);
  equal(['Stable', 3], [groups[0].state, groups[0].members.length], 'the group');
  while (members.length > 1) {
    await members.shift().leave();
    await until(`${members.length} share`, () => fairlySplit(members, 6));
  }
  await members[0].leave();
  await admin.deleteGroups([group]);
}

async function offsetsByTimeSetResetDelete() {
  const topic = await create('times'), groupId = `${prefix}-times`;
  const messages = Array.from({ length: 10 }, (_, i) => ({ value: `${i}`, timestamp: `${1000 * (i + 1)}` }));
  await withProducer({}, producer => producer.send({ topic, messages }));
  const [{ low, high }] = await admin.fetchTopicOffsets(topic);
  equal(['0', '10'], [low, high], 'ends of the log');
  equal('4', (await admin.fetchTopicOffsetsByTimestamp(topic, 4500))[0].offset, 'offset by time');
  await admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: '6' }] });
  same(['6', '7', '8', '9'], (await readAll(topic, 4, groupId)).map(m => `${m.value}`));
  await admin.resetOffsets({ groupId, topic, earliest: true });
  await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '3' }] });
  await until('records are deleted', async () => (await admin.fetchTopicOffsets(topic))[0].low === '3');
}

async function beforeRestart() {
  const topic = await create('restart');
  const messages = Array.from({ length: 60 }, (_, i) => ({ value: `${i}` }));
  await withProducer({}, producer => producer.send({ topic, messages }));
  await admin.setOffsets({ groupId: `${prefix}-restart`, topic, partitions: [{ partition: 0, offset: '25' }] });
}

async function afterRestart() {
  const topic = `${prefix}-restart`;
  const [{ partitions }] = await admin.fetchOffsets({ groupId: topic, topics: [topic] });
  equal('25', partitions[0].offset, 'the commit');
  const messages = await readAll(topic, 35, `${prefix}-restart`);
  same(Array.from({ length: 35 }, (_, i) => `${i + 25}`), messages.map(m => `${m.value}`));
}

(async () => {
  await admin.connect();
  if (phase === 'all') {
    await check('topics and configs', topicsAndConfigs);
    for (const codec of ['None', 'GZIP', 'ZSTD']) {
      await check(`every byte comes back, ${codec}`, () => everyByteComesBack(CompressionTypes[codec]));
    }
    await check('idempotent producer', idempotentProducer);
    await check('three members join and leave', threeMembersJoinAndLeave, 90);
    await check('offsets: by time, set, reset; records deleted', offsetsByTimeSetResetDelete);
  } else {
    await check(phase, phase === 'before-restart' ? beforeRestart : afterRestart);
  }
  await admin.disconnect();
  end();
})();
