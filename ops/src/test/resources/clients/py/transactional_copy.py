"""Copies partitions with librdkafka: records and offsets in one transaction, sizes and aborts by chance, until its input ends.

Somebody else uses the same transactional id. A line for each event: `c BEGAN_NS NOW_NS RECORDS` committed, `a` aborted, `f` fenced,
`e WHY` another end of a transaction; `end` last. Times are of the monotonic clock.
"""

import random
import sys
import threading
import time

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

bootstrap, source, target, transactional_id, group = sys.argv[1:6]
partitions = [int(word) for word in sys.argv[6].split(",")]
seed, timeout_ms, most_records, aborted_percent, asleep_percent, asleep_ms, fenced_ms = (int(word) for word in sys.argv[7:14])
chance = random.Random(seed)
stopping = threading.Event()
FENCED = (KafkaError._FENCED, KafkaError.INVALID_PRODUCER_EPOCH, KafkaError.PRODUCER_FENCED)
PATIENCE = 20


def wait_for_end_of_input():
    sys.stdin.read()
    stopping.set()


def say(line):
    sys.stdout.write(line.replace("\n", " ") + "\n")
    sys.stdout.flush()


class Copier:
    """From taking the id over to losing it."""

    def __init__(self):
        common = {"bootstrap.servers": bootstrap, "reconnect.backoff.max.ms": 500, "log_level": 0, "error_cb": lambda error: None}
        self.producer = Producer(
            dict(common, **{"transactional.id": transactional_id, "transaction.timeout.ms": timeout_ms, "linger.ms": 0})
        )
        self.consumer = Consumer(
            dict(
                common,
                **{
                    "group.id": group,
                    "isolation.level": "read_committed",
                    "enable.auto.commit": False,
                    "enable.auto.offset.store": False,
                    "auto.offset.reset": "error",
                }
            )
        )

    def run(self):
        self.producer.init_transactions(PATIENCE)
        self.go_to_committed()
        while not stopping.is_set():
            first = self.consumer.poll(0.1)
            if first is not None:
                self.copy([first] + self.consumer.consume(chance.randrange(most_records), 0))

    def go_to_committed(self):
        committed = self.consumer.committed([TopicPartition(source, p) for p in partitions], PATIENCE)
        for position in committed:
            if position.error:
                raise KafkaException(position.error)
        self.consumer.assign([TopicPartition(source, p.partition, max(p.offset, 0)) for p in committed])

    def copy(self, messages):
        began = time.monotonic_ns()
        for message in messages:
            if message.error():
                raise KafkaException(message.error())
        self.producer.begin_transaction()
        following = {}
        for message in messages:
            self.producer.produce(target, message.value(), message.key(), message.partition())
            following[message.partition()] = message.offset() + 1
        offsets = [TopicPartition(source, partition, offset) for partition, offset in following.items()]
        if chance.randrange(100) < asleep_percent:
            stopping.wait(chance.randrange(asleep_ms) / 1000)
        if chance.randrange(100) >= aborted_percent:
            self.producer.send_offsets_to_transaction(offsets, self.consumer.consumer_group_metadata(), PATIENCE)
            self.producer.commit_transaction(PATIENCE)
            say("c %d %d %d" % (began, time.monotonic_ns(), len(messages)))
        else:
            if chance.random() < 0.5:
                self.producer.flush(PATIENCE)
                self.producer.send_offsets_to_transaction(offsets, self.consumer.consumer_group_metadata(), PATIENCE)
            self.producer.abort_transaction(PATIENCE)
            say("a")
            self.go_to_committed()


def main():
    threading.Thread(target=wait_for_end_of_input, daemon=True).start()
    while not stopping.is_set():
        copier = Copier()
        try:
            copier.run()
        except KafkaException as failure:
            error = failure.args[0]
            say("f" if error.code() in FENCED else "e %s" % error)
        # The transaction stays open, and whoever takes the id over ends it.
        copier.consumer.close()
        del copier
        stopping.wait(chance.randrange(200, fenced_ms) / 1000)
    say("end")


main()
