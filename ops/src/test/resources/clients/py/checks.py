"""Runs checks one after the other and prints one line for each: `ok NAME (N s)` or `FAIL NAME: why`.

Every check has a deadline; waiting is always for a condition (`until`), never for a time alone.
"""

import os
import random
import sys
import threading
import time
import traceback


class Suite:
    """The checks of one script, named by its first two arguments: HOST:PORT and a prefix for names."""

    def __init__(self):
        self.bootstrap, self.prefix = sys.argv[1], sys.argv[2]
        self.phase = sys.argv[3] if len(sys.argv) > 3 else "all"
        self._failed = 0

    def name(self, suffix):
        return "%s-%s" % (self.prefix, suffix)

    def check(self, function, *args, label=None, seconds=60):
        label = label or " ".join([function.__name__, *map(str, args)])
        outcome = []

        def run():
            try:
                function(*args)
                outcome.append(None)
            except BaseException as error:  # a failed check is a line of the report, whatever it threw
                line = traceback.extract_tb(error.__traceback__)[-1].lineno
                outcome.append("%r at line %d" % (error, line))

        started = time.monotonic()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join(seconds)
        reason = outcome[0] if outcome else "not done within %d s" % seconds
        if reason is None:
            print("ok %s (%.1f s)" % (label, time.monotonic() - started), flush=True)
        else:
            self._failed += 1
            print("FAIL %s: %s" % (label, reason.replace("\n", " ")), flush=True)

    def end(self):
        # Clients keep threads of their own; a failed check may have left one waiting.
        os._exit(1 if self._failed else 0)


def until(what, condition, seconds=30):
    """Waits for the condition and returns its value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError("not within %d s: %s" % (seconds, what))
        time.sleep(0.05)


def same(expected, actual, what="values"):
    """Compares lists element by element, so that a failure names the first difference."""
    for index, (left, right) in enumerate(zip(expected, actual)):
        if left != right:
            raise AssertionError("%s differ at %d: expected %.200r, got %.200r" % (what, index, left, right))
    if len(expected) != len(actual):
        raise AssertionError("%s: expected %d, got %d" % (what, len(expected), len(actual)))


def sample_records(seed, count, null_header_values=True):
    """(key, value, headers, timestamp) with nulls, empty ones, repeated header keys and every byte value."""
    source = random.Random(seed)
    records = []
    for index in range(count):
        key = source.choice([None, b"", b"key-%d" % (index % 7), source.randbytes(20)])
        value = source.choice([None, b"", b"text " * source.randrange(1, 200), source.randbytes(source.randrange(1, 3000))])
        headers = []
        for _ in range(source.randrange(0, 4)):
            header_values = [b"", source.randbytes(8)] + ([None] if null_header_values else [])
            headers.append((source.choice(["a", "b", "trace-id", "\u00fc"]), source.choice(header_values)))
        records.append((key, value, headers, 1_700_000_000_000 + index * 1000))
    return records
