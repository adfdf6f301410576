"""Sends numbered records with librdkafka, idempotent and acks=all, until its input ends, and prints what it is told.

A line for each event: `s PARTITION SEQUENCE` handed over, `a PARTITION SEQUENCE OFFSET SENT_NS ACKNOWLEDGED_NS`,
`f PARTITION SEQUENCE WHY` given up; `end` when all is decided. Times are of the monotonic clock.
"""

import struct
import sys
import threading
import time
import zlib

from confluent_kafka import KafkaException, Producer

bootstrap, topic = sys.argv[1:3]
partitions, number, per_second, value_size = (int(word) for word in sys.argv[3:7])
out = []
stopping = threading.Event()


def wait_for_end_of_input():
    sys.stdin.read()
    stopping.set()


def flush_lines():
    if out:
        sys.stdout.write("".join(out))
        sys.stdout.flush()
        out.clear()


def on_error(error):
    if error.fatal():
        out.append("fatal %s\n" % error)


def send(producer, partition, sequence):
    checked = struct.pack(">iiq", number, partition, sequence)
    header = checked + struct.pack(">I", zlib.crc32(checked))
    padding = bytes((sequence * 31 + i) & 0xFF for i in range(len(header), value_size))
    sent = time.monotonic_ns()

    def delivered(error, message):
        if error:
            out.append("f %d %d %s\n" % (partition, sequence, str(error).replace("\n", " ")))
        else:
            # None: the broker knew the record already and did not say where it is.
            offset = -1 if message.offset() is None else message.offset()
            out.append("a %d %d %d %d %d\n" % (partition, sequence, offset, sent, time.monotonic_ns()))

    out.append("s %d %d\n" % (partition, sequence))
    while True:
        try:
            producer.produce(topic, value=header + padding, partition=partition, on_delivery=delivered)
            return
        except BufferError:
            producer.poll(0.05)
        except KafkaException as error:
            out.append("f %d %d %s\n" % (partition, sequence, error))
            return


def main():
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "client.id": "librdkafka-%d" % number,
            "enable.idempotence": True,
            "acks": "all",
            "error_cb": on_error,
            "log.connection.close": False,
            "log_level": 2,
        }
    )
    threading.Thread(target=wait_for_end_of_input, daemon=True).start()
    start = time.monotonic()
    n = 0
    while not stopping.is_set():
        due = start + n / per_second
        left = due - time.monotonic()
        while left > 0 and not stopping.is_set():
            # Serves the callbacks, so acknowledgements are timed when they come.
            producer.poll(min(left, 0.01))
            flush_lines()
            left = due - time.monotonic()
        send(producer, n % partitions, n // partitions)
        n += 1
        if n % 50 == 0:
            producer.poll(0)
    while producer.flush(0.1) > 0:
        flush_lines()
    out.append("end\n")
    flush_lines()


main()
