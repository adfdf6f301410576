"""What librdkafka's transactional producer is told, and what consumers then see: a line for each observation, to be compared.

Every log ends with a record that is in no transaction, so that readers know when they are at the end.
"""

import sys
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

bootstrap, prefix = sys.argv[1], sys.argv[2]
QUIET = {"bootstrap.servers": bootstrap, "log_level": 0, "error_cb": lambda error: None}
admin = AdminClient(QUIET)
PATIENCE = 30


def observed(what, value):
    print("ok %s: %s" % (what, value), flush=True)


def topic(name, partitions=1):
    full = "%s-%s" % (prefix, name)
    for future in admin.create_topics([NewTopic(full, partitions, 1)]).values():
        future.result(PATIENCE)
    return full


def producer(name, timeout_ms=60000):
    made = Producer(dict(QUIET, **{"transactional.id": "%s-%s" % (prefix, name), "transaction.timeout.ms": timeout_ms}))
    made.init_transactions(PATIENCE)
    return made


def outcome(call):
    """How a call ended: its error, and what librdkafka says may be done about it."""
    try:
        call()
        return "done"
    except KafkaException as failure:
        error = failure.args[0]
        words = [error.name()]
        words += ["fatal"] if error.fatal() else []
        words += ["abort"] if error.txn_requires_abort() else []
        words += ["retry"] if error.retriable() else []
        return " ".join(words)


def write(to, *values, partition=0, within=None):
    # A producer with nothing in its queue counts as false.
    within = Producer(dict(QUIET)) if within is None else within
    told = []
    for value in values:
        within.produce(to, value.encode(), partition=partition, on_delivery=lambda e, m: told.append(e.name() if e else m.offset()))
    try:
        left = within.flush(PATIENCE)
        return told if left == 0 else "%d not delivered" % left
    except KafkaException as failure:
        return failure.args[0].name()


def read(name, full, isolation, partition=0):
    consumer = Consumer(dict(QUIET, **{"group.id": prefix, "isolation.level": isolation, "enable.auto.commit": False}))
    consumer.assign([TopicPartition(full, partition, OFFSET_BEGINNING)])
    seen = []
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and not (seen and seen[-1].endswith("=end")):
        message = consumer.poll(0.2)
        if message is not None:
            seen.append("%d=%s" % (message.offset(), message.error() or message.value().decode()))
    consumer.close()
    observed("%s %s" % (name, isolation), seen)


def await_markers(full, partition):
    """Until the last transaction's end is in the log, so that the next record has the same offset every time."""
    consumers = [Consumer(dict(QUIET, **{"group.id": prefix, "isolation.level": it})) for it in ("read_committed", "read_uncommitted")]
    deadline = time.monotonic() + PATIENCE
    ends = []
    while time.monotonic() < deadline and len(set(ends)) != 1:
        ends = [consumer.get_watermark_offsets(TopicPartition(full, partition), PATIENCE)[1] for consumer in consumers]
    for consumer in consumers:
        consumer.close()


def both(name, full, partition=0):
    await_markers(full, partition)
    write(full, "end", partition=partition)
    for isolation in ("read_committed", "read_uncommitted"):
        read(name, full, isolation, partition)


def commit_and_abort():
    log = topic("ends")
    p = producer("ends")
    p.begin_transaction()
    observed("committed records", write(log, "c1", "c2", within=p))
    observed("commit", outcome(lambda: p.commit_transaction(PATIENCE)))
    p.begin_transaction()
    observed("aborted records", write(log, "a1", within=p))
    observed("abort", outcome(lambda: p.abort_transaction(PATIENCE)))
    p.begin_transaction()
    observed("empty commit", outcome(lambda: p.commit_transaction(PATIENCE)))
    p.begin_transaction()
    observed("empty abort", outcome(lambda: p.abort_transaction(PATIENCE)))
    p.begin_transaction()
    write(log, "c3", within=p)
    observed("last commit", outcome(lambda: p.commit_transaction(PATIENCE)))
    both("ends", log)


def two_partitions():
    log = topic("wide", 2)
    p = producer("wide")
    p.begin_transaction()
    write(log, "a0", partition=0, within=p)
    write(log, "a1", partition=1, within=p)
    p.abort_transaction(PATIENCE)
    p.begin_transaction()
    write(log, "c0", partition=0, within=p)
    write(log, "c1", partition=1, within=p)
    p.commit_transaction(PATIENCE)
    both("wide 0", log, 0)
    both("wide 1", log, 1)


def fencing():
    log = topic("fenced")
    zombie = producer("fenced")
    zombie.begin_transaction()
    write(log, "z1", within=zombie)
    successor = producer("fenced")
    observed("zombie's record", write(log, "z2", within=zombie))
    observed("zombie's commit", outcome(lambda: zombie.commit_transaction(PATIENCE)))
    observed("zombie's abort", outcome(lambda: zombie.abort_transaction(PATIENCE)))
    successor.begin_transaction()
    write(log, "s1", within=successor)
    observed("successor's commit", outcome(lambda: successor.commit_transaction(PATIENCE)))
    both("fenced", log)


def fenced_commit():
    log = topic("late")
    zombie = producer("late")
    zombie.begin_transaction()
    write(log, "z1", within=zombie)
    producer("late")
    observed("late commit", outcome(lambda: zombie.commit_transaction(PATIENCE)))
    both("late", log)


def time_out():
    log = topic("slow")
    # librdkafka gives a record no more time than its transaction, and takes a second until it sends the first to a new topic.
    p = producer("slow", 4000)
    p.begin_transaction()
    observed("record before the time-out", write(log, "t1", within=p))
    write(log, "end")
    # The reader waits for the coordinator to abort it.
    read("time-out", log, "read_committed")
    observed("commit after the time-out", outcome(lambda: p.commit_transaction(PATIENCE)))
    read("time-out", log, "read_uncommitted")


def offsets():
    log = topic("source")
    write(log, "1", "2", "3", "4")
    p = producer("offsets")
    consumer = Consumer(dict(QUIET, **{"group.id": prefix + "-offsets", "enable.auto.commit": False}))

    def committed():
        at = consumer.committed([TopicPartition(log, 0)], PATIENCE)[0]
        return at.error.name() if at.error else at.offset

    for offset, end in ((2, p.commit_transaction), (3, p.abort_transaction), (4, p.commit_transaction)):
        p.begin_transaction()
        p.send_offsets_to_transaction([TopicPartition(log, 0, offset)], consumer.consumer_group_metadata(), PATIENCE)
        end(PATIENCE)
        observed("offset after %s" % end.__name__, committed())
    consumer.close()


for scenario in (commit_and_abort, two_partitions, fencing, fenced_commit, time_out, offsets):
    scenario()
