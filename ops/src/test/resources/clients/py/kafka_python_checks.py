"""kafka-python (pure Python, protocol versions of its own choice) against a node."""

import threading
import time

from kafka import KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient, NewPartitions, NewTopic
from kafka.errors import TopicAlreadyExistsError

from checks import Suite, sample_records, same, until

suite = Suite()


def partition_count(topic):
    admin = KafkaAdminClient(bootstrap_servers=suite.bootstrap)
    found = [t for t in admin.describe_topics([topic]) if t["error_code"] == 0]
    admin.close()
    return len(found[0]["partitions"]) if found else 0


def create(suffix, partitions=1):
    topic = suite.name(suffix)
    admin = KafkaAdminClient(bootstrap_servers=suite.bootstrap)
    admin.create_topics([NewTopic(topic, partitions, 1)])
    admin.close()
    until("%s is known" % topic, lambda: partition_count(topic) == partitions)
    return topic


def consumer(**config):
    settings = {"bootstrap_servers": suite.bootstrap, "auto_offset_reset": "earliest", "fetch_max_wait_ms": 100}
    return KafkaConsumer(**dict(settings, **config))


def read(source, count, seconds=25):
    records = []
    deadline = time.monotonic() + seconds
    while len(records) < count:
        for batch in source.poll(timeout_ms=200).values():
            records.extend(batch)
        if time.monotonic() > deadline:
            raise AssertionError("%d of %d records within %d s" % (len(records), count, seconds))
    return records


def finds_the_version_by_itself():
    source = consumer()
    assert source.bootstrap_connected()
    assert source.config["api_version"] >= (2, 4, 0), source.config["api_version"]
    source.close()


def topics_and_configs():
    topic = create("admin", 2)
    admin = KafkaAdminClient(bootstrap_servers=suite.bootstrap)
    try:
        admin.create_topics([NewTopic(topic, 2, 1)])
        raise RuntimeError("created a second time")
    except TopicAlreadyExistsError:
        pass
    assert topic in admin.list_topics()
    assert admin.describe_cluster()["brokers"]
    admin.create_partitions({topic: NewPartitions(3)})
    until("three partitions", lambda: partition_count(topic) == 3)
    admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, configs={"retention.ms": "1234567"})])

    def retention():
        answer = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])[0]
        return {entry[0]: entry[1] for entry in answer.resources[0][4]}["retention.ms"]

    until("altered", lambda: retention() == "1234567")
    admin.delete_topics([topic])
    until("it is gone", lambda: topic not in admin.list_topics())
    admin.close()


def every_byte_comes_back(codec):
    topic = create("bytes-%s" % codec)
    # This client refuses a record that has neither key nor value, and header values that are null.
    records = [
        (b"alone" if key is None and value is None else key, value, headers, timestamp)
        for key, value, headers, timestamp in sample_records(codec, 200, null_header_values=False)
    ]
    producer = KafkaProducer(bootstrap_servers=suite.bootstrap, compression_type=codec, linger_ms=5, acks="all")
    sent = [
        producer.send(topic, value, key, headers=headers, timestamp_ms=timestamp)
        for key, value, headers, timestamp in records
    ]
    same(list(range(200)), [future.get(15).offset for future in sent], "offsets")
    producer.close()
    source = consumer()
    source.assign([TopicPartition(topic, 0)])
    same(records, [(r.key, r.value, r.headers, r.timestamp) for r in read(source, 200)], "records")
    source.close()


def old_protocol_versions(version):
    topic = create("pinned-" + ".".join(map(str, version)))
    producer = KafkaProducer(bootstrap_servers=suite.bootstrap, api_version=version)
    assert producer.send(topic, b"x").get(15).offset == 0
    producer.close()
    source = consumer(api_version=version, group_id=suite.name("pinned"))
    source.subscribe([topic])
    assert read(source, 1)[0].value == b"x"
    source.close()


def offsets_by_time_seek_commit():
    topic = create("times")
    producer = KafkaProducer(bootstrap_servers=suite.bootstrap)
    for index in range(20):
        producer.send(topic, b"%d" % index, timestamp_ms=1000 * (index + 1))
    producer.flush()
    producer.close()
    partition = TopicPartition(topic, 0)
    source = consumer(group_id=suite.name("times"), enable_auto_commit=False)
    source.assign([partition])
    assert source.beginning_offsets([partition])[partition] == 0
    assert source.end_offsets([partition])[partition] == 20
    assert source.offsets_for_times({partition: 4500})[partition].offset == 4
    assert source.offsets_for_times({partition: 99999999})[partition] is None
    source.seek(partition, 15)
    assert read(source, 5)[0].offset == 15
    source.commit({partition: OffsetAndMetadata(9, "a note")})
    assert source.committed(partition, metadata=True) == OffsetAndMetadata(9, "a note")
    source.close()


class Member(threading.Thread):
    def __init__(self, topic, group):
        super().__init__(daemon=True)
        self.topic, self.group = topic, group
        self.owned, self.values = set(), []
        self._leaving = threading.Event()
        self.start()

    def run(self):
        source = consumer(group_id=self.group, session_timeout_ms=6000, heartbeat_interval_ms=300)
        source.subscribe([self.topic])
        while not self._leaving.is_set():
            for batch in source.poll(timeout_ms=100).values():
                self.values.extend(record.value for record in batch)
            self.owned = {p.partition for p in source.assignment()}
        source.close()

    def leave(self):
        self._leaving.set()
        self.join(20)
        assert not self.is_alive()


def split(members, partitions):
    owned = [member.owned for member in members]
    fair = max(map(len, owned)) - min(map(len, owned)) <= 1
    return fair and sorted(p for one in owned for p in one) == list(range(partitions))


def three_members_join_and_leave():
    topic, group = create("group", 6), suite.name("group")
    members = []
    for _ in range(3):
        members.append(Member(topic, group))
        until("%d share" % len(members), lambda: split(members, 6))
    producer = KafkaProducer(bootstrap_servers=suite.bootstrap)
    for index in range(300):
        producer.send(topic, b"%d" % index, partition=index % 6)
    producer.flush()
    producer.close()
    until("all records are seen", lambda: {v for m in members for v in m.values} == {b"%d" % i for i in range(300)})
    admin = KafkaAdminClient(bootstrap_servers=suite.bootstrap)
    assert (group, "consumer") in admin.list_consumer_groups()
    described = admin.describe_consumer_groups([group])[0]
    assert (described.state, len(described.members)) == ("Stable", 3), described
    while len(members) > 1:
        members.pop(0).leave()
        until("%d share" % len(members), lambda: split(members, 6))
    members.pop().leave()
    assert sum(o.offset for o in admin.list_consumer_group_offsets(group).values()) == 300
    admin.delete_consumer_groups([group])
    assert (group, "consumer") not in admin.list_consumer_groups()
    admin.close()


def before_restart():
    topic = create("restart")
    producer = KafkaProducer(bootstrap_servers=suite.bootstrap, acks="all")
    for index in range(100):
        producer.send(topic, b"%d" % index)
    producer.flush()
    producer.close()
    source = consumer(group_id=suite.name("restart"), enable_auto_commit=False)
    source.assign([TopicPartition(topic, 0)])
    source.commit({TopicPartition(topic, 0): OffsetAndMetadata(40, "before")})
    source.close()


def after_restart():
    topic = suite.name("restart")
    source = consumer(group_id=suite.name("restart"), enable_auto_commit=False)
    assert source.committed(TopicPartition(topic, 0), metadata=True) == OffsetAndMetadata(40, "before")
    source.subscribe([topic])
    same([b"%d" % index for index in range(40, 100)], [r.value for r in read(source, 60)])
    source.close()


if suite.phase == "all":
    suite.check(finds_the_version_by_itself)
    suite.check(topics_and_configs)
    for compression in (None, "gzip", "snappy", "lz4", "zstd"):
        suite.check(every_byte_comes_back, compression)
    for pinned in ((0, 11, 0), (1, 0, 0), (2, 1, 0), (2, 5, 0)):
        suite.check(old_protocol_versions, pinned)
    suite.check(offsets_by_time_seek_commit)
    suite.check(three_members_join_and_leave, seconds=90)
elif suite.phase == "before-restart":
    suite.check(before_restart)
else:
    suite.check(after_restart)
suite.end()
