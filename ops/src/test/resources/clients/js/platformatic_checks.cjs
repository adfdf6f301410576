// @platformatic/kafka against a node.
'use strict';

const { Admin, Consumer, Producer, ProduceAcks, ConfigResourceTypes, IncrementalAlterConfigOperationTypes } = require('@platformatic/kafka');
const { bootstrap, prefix, phase, check, until, same, equal, sampleRecords, hex, end } = require('./checks.cjs');

const base = { clientId: prefix, bootstrapBrokers: [bootstrap], retries: 8, retryDelay: 50 };
const admin = new Admin(base);

async function partitionsOf(topic) {
  const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true });
  return topics.get(topic)?.partitionsCount;
}

async function create(suffix, partitions = 1) {
  const topic = `${prefix}-${suffix}`;
  await admin.createTopics({ topics: [topic], partitions, replicas: 1 });
  await until(`${topic} is known`, async () => (await partitionsOf(topic)) === partitions);
  return topic;
}

async function withProducer(options, body) {
  const producer = new Producer({ ...base, acks: ProduceAcks.ALL, ...options });
  try {
    return await body(producer);
  } finally {
    await producer.close(true);
  }
}

class Member {
  constructor(topic, group, options = {}) {
    this.topic = topic;
    this.messages = [];
    this.consumer = new Consumer({
      ...base,
      groupId: group,
      sessionTimeout: 6000,
      rebalanceTimeout: 6000,
      heartbeatInterval: 300,
      maxWaitTime: 100,
      ...options,
    });
  }

  async join(options = { mode: 'committed', fallbackMode: 'earliest', autocommit: 100 }) {
    this.stream = await this.consumer.consume({ topics: [this.topic], ...options });
    this.stream.on('data', message => this.messages.push(message));
    return this;
  }

  get owned() {
    return (this.consumer.assignments ?? []).filter(a => a.topic === this.topic).flatMap(a => a.partitions);
  }

  leave() {
    return this.consumer.close(true);
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
  const owned = members.map(member => member.owned);
  const sizes = owned.map(one => one.length);
  const all = owned.flat().sort((a, b) => a - b);
  return Math.max(...sizes) - Math.min(...sizes) <= 1 && all.length === partitions && all.every((p, i) => p === i);
}

async function topicsAndConfigs() {
  const topic = await create('admin', 2);
  if (!(await admin.listTopics()).includes(topic)) throw new Error('not listed');
  const [broker] = (await admin.metadata({ topics: [topic], forceUpdate: true })).brokers.keys();
  await admin.createPartitions({ topics: [{ name: topic, count: 3, assignments: [{ brokerIds: [broker] }] }] });
  await until('three partitions', async () => (await partitionsOf(topic)) === 3);
  const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic };
  const change = { name: 'retention.ms', configOperation: IncrementalAlterConfigOperationTypes.SET, value: '123456' };
  await admin.incrementalAlterConfigs({ resources: [{ ...resource, configs: [change] }] });
  await until('altered', async () => {
    const [{ configs }] = await admin.describeConfigs({ resources: [{ ...resource, configurationKeys: ['retention.ms'] }] });
    return configs[0].value === '123456';
  });
  const [{ results }] = await admin.describeLogDirs({ topics: [{ name: topic, partitions: [0, 1, 2] }] });
  equal(true, results.length > 0, 'a log directory is described');
  await admin.deleteTopics({ topics: [topic] });
  await until('it is gone', async () => !(await admin.listTopics()).includes(topic));
}

async function everyByteComesBack(compression) {
  const topic = await create(`bytes-${compression}`);
  const records = sampleRecords(compression.length, 200);
  const messages = records.map(r => ({
    topic,
    partition: 0,
    key: r.key ?? undefined,
    value: r.value ?? undefined,
    headers: new Map(r.headers.map(([name, value]) => [Buffer.from(name), value])),
    timestamp: BigInt(r.timestamp),
  }));
  await withProducer({ compression }, producer => producer.send({ messages }));
  const shape = (key, value, headers, timestamp) => [hex(key), hex(value), headers.map(([n, v]) => [`${n}`, hex(v)]), `${timestamp}`];
  same(
    records.map(r => shape(r.key, r.value, r.headers, r.timestamp)),
    (await readAll(topic, 200)).map(m => shape(m.key, m.value, [...m.headers], m.timestamp)),
    'records',
  );
}

async function idempotentProducer() {
  const topic = await create('idempotent', 2);
  await withProducer({ idempotent: true }, async producer => {
    for (let i = 0; i < 40; i++) await producer.send({ messages: [{ topic, value: Buffer.from(`${i}`), partition: i % 2 }] });
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
  const messages = Array.from({ length: 300 }, (_, i) => ({ topic, partition: i % 6, value: Buffer.from(`${i}`) }));
  await withProducer({}, producer => producer.send({ messages }));
  await until('all records are seen', () => new Set(members.flatMap(m => m.messages.map(r => `${r.value}`))).size === 300);
  const described = (await admin.describeGroups({ groups: [group] })).get(group);
  equal(3, described.members.size, 'members');
  while (members.length > 1) {
    await members.shift().leave();
    await until(`${members.length} share`, () => fairlySplit(members, 6));
  }
  await members[0].leave();
  await until('deleted', () => admin.deleteGroups({ groups: [group] }).then(() => true, () => false));
}

async function staticMemberKeepsItsId() {
  const topic = await create('static', 2), group = `${prefix}-static`;
  const options = { groupInstanceId: 'one', sessionTimeout: 30000, rebalanceTimeout: 30000 };
  const first = await new Member(topic, group, options).join();
  await until('it owns both', () => fairlySplit([first], 2));
  const generation = first.consumer.generationId;
  await first.leave();
  const second = await new Member(topic, group, options).join();
  await until('it owns both again', () => fairlySplit([second], 2));
  equal(true, second.consumer.generationId >= generation, 'the generation does not go back');
  await second.leave();
}

async function offsetsByTimeCommitAndResume() {
  const topic = await create('times'), group = `${prefix}-times`;
  const messages = Array.from({ length: 10 }, (_, i) => ({ topic, partition: 0, value: Buffer.from(`${i}`), timestamp: BigInt(1000 * (i + 1)) }));
  await withProducer({}, producer => producer.send({ messages }));
  const consumer = new Consumer({ ...base, groupId: group });
  const at = async timestamp => (await consumer.listOffsets({ topics: [topic], timestamp })).get(topic)[0];
  equal([0n, 10n, 4n], [await at(-2n), await at(-1n), await at(4500n)], 'offsets');
  await consumer.close(true);
  await admin.alterConsumerGroupOffsets({ groupId: group, topics: [{ name: topic, partitionOffsets: [{ partition: 0, offset: 6n }] }] });
  same(['6', '7', '8', '9'], (await readAll(topic, 4, group)).map(m => `${m.value}`));
  const [{ partitions }] = await admin.deleteRecords({ topics: [{ name: topic, partitions: [{ partition: 0, offset: 3n }] }] });
  equal(3n, partitions[0].lowWatermark, 'low watermark');
}

async function beforeRestart() {
  const topic = await create('restart');
  const messages = Array.from({ length: 60 }, (_, i) => ({ topic, partition: 0, value: Buffer.from(`${i}`) }));
  await withProducer({}, producer => producer.send({ messages }));
  await admin.alterConsumerGroupOffsets({ groupId: topic, topics: [{ name: topic, partitionOffsets: [{ partition: 0, offset: 25n }] }] });
}

async function afterRestart() {
  const topic = `${prefix}-restart`;
  const [{ topics }] = await admin.listConsumerGroupOffsets({ groups: [topic] });
  equal(25n, topics[0].partitions[0].committedOffset, 'the commit');
  same(Array.from({ length: 35 }, (_, i) => `${i + 25}`), (await readAll(topic, 35, topic)).map(m => `${m.value}`));
}

(async () => {
  if (phase === 'all') {
    await check('topics, configs, log directories', topicsAndConfigs);
    for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd']) {
      await check(`every byte comes back, ${codec}`, () => everyByteComesBack(codec));
    }
    await check('idempotent producer', idempotentProducer);
    await check('three members join and leave', threeMembersJoinAndLeave, 90);
    await check('static member keeps its partitions', staticMemberKeepsItsId);
    await check('offsets: by time, altered; records deleted', offsetsByTimeCommitAndResume);
  } else {
    await check(phase, phase === 'before-restart' ? beforeRestart : afterRestart);
  }
  await admin.close();
  end();
})();
