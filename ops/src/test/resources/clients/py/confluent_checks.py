"""confluent-kafka (librdkafka) against a node."""

import threading
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

from checks import Suite, sample_records, same, until

suite = Suite()
admin = AdminClient({"bootstrap.servers": suite.bootstrap})


def done(futures, seconds=20):
    return [future.result(seconds) for future in futures.values()]


def partition_count(topic):
    found = admin.list_topics(timeout=10).topics.get(topic)
    return len(found.partitions) if found else 0


def create(suffix, partitions=1, **config):
    topic = suite.name(suffix)
    settings = {key.replace("_", "."): value for key, value in config.items()}
    done(admin.create_topics([NewTopic(topic, partitions, 1, config=settings)]))
    until("%s is known" % topic, lambda: partition_count(topic) == partitions)
    return topic


def settings_of(resource):
    return done(admin.describe_configs([resource]))[0]


class Sink:
    """A producer that collects what was delivered: (partition, offset) in order of delivery."""

    def __init__(self, **config):
        settings = {"bootstrap.servers": suite.bootstrap}
        settings.update({key.replace("_", "."): value for key, value in config.items()})
        self.producer = Producer(settings)
        self.delivered, self.errors = [], []

    def send(self, topic, value, key=None, **more):
        self.producer.produce(topic, value=value, key=key, on_delivery=self._report, **more)
        self.producer.poll(0)

    def _report(self, error, message):
        if error:
            self.errors.append(error)
        else:
            self.delivered.append((message.partition(), message.offset()))

    def flush(self):
        left = self.producer.flush(30)
        assert left == 0, "%d records undelivered" % left
        assert not self.errors, self.errors


def consumer(group, **config):
    settings = {
        "bootstrap.servers": suite.bootstrap,
        "group.id": suite.name(group),
        "auto.offset.reset": "earliest",
        "session.timeout.ms": 6000,
        "heartbeat.interval.ms": 300,
        "fetch.wait.max.ms": 100,
    }
    settings.update({key.replace("_", "."): value for key, value in config.items()})
    return Consumer(settings)


def read(source, count, seconds=25):
    messages = []
    deadline = time.monotonic() + seconds
    while len(messages) < count:
        message = source.poll(0.2)
        if message is not None:
            if message.error():
                raise KafkaException(message.error())
            messages.append(message)
        elif time.monotonic() > deadline:
            raise AssertionError("%d of %d records within %d s" % (len(messages), count, seconds))
    return messages


def topics_created_described_grown_deleted():
    topic = create("admin", 3)
    try:
        done(admin.create_topics([NewTopic(topic, 1, 1)]))
        raise AssertionError("created a second time")
    except KafkaException as refused:
        assert refused.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS, refused
    done(admin.create_partitions([NewPartitions(topic, 5)]))
    until("five partitions", lambda: partition_count(topic) == 5)
    done(admin.delete_topics([topic]))
    until("it is gone", lambda: partition_count(topic) == 0)


def bad_topics_refused_by_name():
    for suffix, partitions, replicas, code in [
        ("in/valid", 1, 1, KafkaError.TOPIC_EXCEPTION),
        ("zero", 0, 1, KafkaError.INVALID_PARTITIONS),
        ("far", 1, 9, KafkaError.INVALID_REPLICATION_FACTOR),
    ]:
        try:
            done(admin.create_topics([NewTopic(suite.name(suffix), partitions, replicas)]))
            raise AssertionError("created %s" % suffix)
        except KafkaException as refused:
            assert refused.args[0].code() == code, (suffix, refused)


def configs_described_and_altered():
    topic = create("config", delete_retention_ms="3600000")
    resource = ConfigResource("topic", topic)
    assert settings_of(resource)["delete.retention.ms"].value == "3600000"
    done(admin.alter_configs([ConfigResource("topic", topic, set_config={"max.message.bytes": "77777"})]))
    until("altered", lambda: settings_of(resource)["max.message.bytes"].value == "77777")
    assert settings_of(resource)["delete.retention.ms"].value == "86400000", "AlterConfigs replaces the whole set"
    broker = str(next(iter(admin.list_topics(timeout=10).brokers)))
    assert "log.dirs" in settings_of(ConfigResource("broker", broker))


def every_byte_comes_back(codec):
    topic = create("bytes-" + codec, 2)
    records = sample_records(codec, 400)
    sink = Sink(compression_type=codec, linger_ms=5)
    for index, (key, value, headers, timestamp) in enumerate(records):
        sink.send(topic, value, key, headers=headers, timestamp=timestamp, partition=index % 2)
    sink.flush()
    for partition in (0, 1):
        source = consumer("bytes-" + codec)
        source.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
        expected = records[partition::2]
        got = [(m.key(), m.value(), m.headers() or [], m.timestamp()[1]) for m in read(source, len(expected))]
        same(expected, got, "records of partition %d" % partition)
        source.close()


def acks(level):
    topic = create("acks-%s" % level)
    sink = Sink(acks=level)
    for index in range(50):
        sink.send(topic, b"%d" % index)
    sink.flush()
    source = consumer("acks-%s" % level)
    source.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    same([b"%d" % index for index in range(50)], [m.value() for m in read(source, 50)])
    source.close()


def idempotent_producer_in_order():
    topic = create("idempotent", 4)
    sink = Sink(enable_idempotence=True, linger_ms=0)
    for index in range(3000):
        sink.send(topic, b"%d" % index, partition=index % 4)
    sink.flush()
    assert len(set(sink.delivered)) == 3000
    source = consumer("idempotent")
    for partition in range(4):
        source.assign([TopicPartition(topic, partition, OFFSET_BEGINNING)])
        same([b"%d" % index for index in range(partition, 3000, 4)], [m.value() for m in read(source, 750)])
    source.close()


def offsets_by_time_watermarks_seek_pause():
    topic = create("times")
    sink = Sink()
    for index in range(10):
        sink.send(topic, b"%d" % index, partition=0, timestamp=1000 * (index + 1))
    sink.flush()
    source = consumer("times")
    partition = TopicPartition(topic, 0)
    assert source.get_watermark_offsets(partition, timeout=10) == (0, 10)
    for timestamp, offset in [(1, 0), (4500, 4), (5000, 4), (10000, 9)]:
        found = source.offsets_for_times([TopicPartition(topic, 0, timestamp)], timeout=10)[0].offset
        assert found == offset, (timestamp, found)
    source.assign([TopicPartition(topic, 0, 3)])
    assert read(source, 1)[0].offset() == 3
    source.seek(TopicPartition(topic, 0, 8))
    assert read(source, 1)[0].offset() == 8
    source.pause([partition])
    assert source.poll(0.5) is None
    source.resume([partition])
    assert read(source, 1)[0].offset() == 9
    source.close()


class Member(threading.Thread):
    """A group member on its own thread, as an application would run it."""

    def __init__(self, topic, group, **config):
        super().__init__(daemon=True)
        self.source = consumer(group, **config)
        self.values, self.owned, self.revoked = [], set(), []
        self._leaving = threading.Event()
        self._cooperative = config.get("partition_assignment_strategy", "").startswith("coop")
        self.source.subscribe([topic], on_assign=self._assigned, on_revoke=self._revoked)
        self.start()

    def _assigned(self, _, partitions):
        added = {p.partition for p in partitions}
        self.owned = self.owned | added if self._cooperative else added

    def _revoked(self, _, partitions):
        lost = {p.partition for p in partitions}
        self.revoked.append(lost)
        self.owned = self.owned - lost

    def run(self):
        while not self._leaving.is_set():
            message = self.source.poll(0.1)
            if message is not None and not message.error():
                self.values.append(message.value())
        self.source.close()

    def leave(self):
        self._leaving.set()
        self.join(20)
        assert not self.is_alive()


def split(members, partitions):
    owned = [member.owned for member in members]
    fair = max(map(len, owned)) - min(map(len, owned)) <= 1
    return fair and sorted(p for one in owned for p in one) == list(range(partitions))


def three_members_join_and_leave(strategy):
    topic = create("group-" + strategy, 6)
    members = [Member(topic, "group-" + strategy, partition_assignment_strategy=strategy)]
    until("the first owns all", lambda: split(members, 6))
    members.append(Member(topic, "group-" + strategy, partition_assignment_strategy=strategy))
    until("two share", lambda: split(members, 6))
    members.append(Member(topic, "group-" + strategy, partition_assignment_strategy=strategy))
    until("three share", lambda: split(members, 6))
    sink = Sink()
    for index in range(600):
        sink.send(topic, b"%d" % index, partition=index % 6)
    sink.flush()
    everything = {b"%d" % index for index in range(600)}
    until("all records are seen", lambda: {v for m in members for v in m.values} == everything)
    assert all(member.values for member in members), "a member saw nothing"
    if strategy.startswith("coop"):
        assert set(range(6)) not in members[0].revoked, "cooperative members keep what need not move"
    members.pop().leave()
    until("two share again", lambda: split(members, 6))
    members.pop(0).leave()
    until("the last owns all", lambda: split(members, 6))
    members.pop().leave()


def static_member_returns_without_rebalance():
    topic = create("static", 4)
    config = {"session_timeout_ms": 30000}
    stays = Member(topic, "static", group_instance_id="stays", **config)
    until("it owns all", lambda: split([stays], 4))
    returns = Member(topic, "static", group_instance_id="returns", **config)
    until("two share", lambda: split([stays, returns], 4))
    owned, revocations = returns.owned, len(stays.revoked)
    returns.leave()  # a static member's close sends no LeaveGroup
    returns = Member(topic, "static", group_instance_id="returns", **config)
    until("the same partitions are back", lambda: returns.owned == owned)
    assert len(stays.revoked) == revocations, "the other member was disturbed"
    stays.leave()
    returns.leave()


def commits_sync_async_and_resume():
    topic = create("commit")
    sink = Sink()
    for index in range(20):
        sink.send(topic, b"%d" % index)
    sink.flush()
    partition = TopicPartition(topic, 0)
    source = consumer("commit", enable_auto_commit=False)
    source.subscribe([topic])
    messages = read(source, 10)
    source.commit(message=messages[4], asynchronous=False)
    assert source.committed([partition], timeout=10)[0].offset == 5
    source.commit(offsets=[TopicPartition(topic, 0, 8)], asynchronous=True)
    until("the second commit", lambda: source.committed([partition], timeout=10)[0].offset == 8)
    source.close()
    source = consumer("commit", enable_auto_commit=False)
    source.subscribe([topic])
    assert read(source, 1)[0].offset() == 8
    source.close()
    assert any(group.id == suite.name("commit") for group in admin.list_groups(timeout=10))


def refusals_name_their_cause():
    topic = create("refusals", max_message_bytes="10000")
    sink = Sink()
    sink.send(topic, b"x" * 50000)
    sink.producer.flush(20)
    assert [e.code() for e in sink.errors] == [KafkaError.MSG_SIZE_TOO_LARGE], sink.errors
    compacted = create("compacted", cleanup_policy="compact")
    sink = Sink()
    sink.send(compacted, b"value", b"key")
    sink.send(compacted, None, b"key")
    sink.flush()
    sink.send(compacted, b"a record without a key")
    sink.producer.flush(20)
    assert [e.code() for e in sink.errors] == [KafkaError.INVALID_RECORD], sink.errors
    source = consumer("compacted")
    source.assign([TopicPartition(compacted, 0, OFFSET_BEGINNING)])
    assert [m.value() for m in read(source, 2)] == [b"value", None]
    source.close()


def before_restart():
    topic = create("restart", 2)
    sink = Sink(enable_idempotence=True)
    for index in range(200):
        sink.send(topic, b"%d" % index, partition=index % 2)
    sink.flush()
    source = consumer("restart", enable_auto_commit=False)
    source.subscribe([topic])
    read(source, 1)
    source.commit(offsets=[TopicPartition(topic, 0, 60), TopicPartition(topic, 1, 70)], asynchronous=False)
    source.close()


def after_restart():
    topic = suite.name("restart")
    source = consumer("restart", enable_auto_commit=False)
    partitions = [TopicPartition(topic, 0), TopicPartition(topic, 1)]
    assert [p.offset for p in source.committed(partitions, timeout=20)] == [60, 70]
    source.subscribe([topic])
    messages = read(source, 40 + 30)
    for partition, first in ((0, 60), (1, 70)):
        expected = [b"%d" % (2 * offset + partition) for offset in range(first, 100)]
        same(expected, [m.value() for m in messages if m.partition() == partition])
    source.close()


if suite.phase == "all":
    suite.check(topics_created_described_grown_deleted)
    suite.check(bad_topics_refused_by_name)
    suite.check(configs_described_and_altered)
    for compression in ("none", "gzip", "snappy", "lz4", "zstd"):
        suite.check(every_byte_comes_back, compression)
    for level in ("0", "1", "all"):
        suite.check(acks, level)
    suite.check(idempotent_producer_in_order)
    suite.check(offsets_by_time_watermarks_seek_pause)
    for assignment in ("range", "roundrobin", "cooperative-sticky"):
        suite.check(three_members_join_and_leave, assignment, seconds=90)
    suite.check(static_member_returns_without_rebalance)
    suite.check(commits_sync_async_and_resume)
    suite.check(refusals_name_their_cause)
elif suite.phase == "before-restart":
    suite.check(before_restart)
else:
    suite.check(after_restart)
suite.end()
