package io.moldau.broker.replica;

/// How many bytes a second passed lately: what the latest samples hold, by the time since the first
/// of them began, but at least by the length of one. Pure; not thread-safe.
final class ByteRate {

    private static final double NANOS_PER_SECOND = 1e9;

    private final long originNanos;
    private final long sampleNanos;

    /// In a ring: the number of each sample, counted from the origin, and its bytes.
    private final long[] numbers;

    private final long[] bytes;

    /// @param samples how many are remembered (`replication.quota.window.num`)
    /// @param sampleNanos length of each (`replication.quota.window.size.seconds`)
    ByteRate(int samples, long sampleNanos, long originNanos) {
        this.originNanos = originNanos;
        this.sampleNanos = sampleNanos;
        this.numbers = new long[samples];
        this.bytes = new long[samples];
    }

    private long numberAt(long nowNanos) {
        return Math.floorDiv(nowNanos - originNanos, sampleNanos);
    }

    void record(long amount, long nowNanos) {
        long number = numberAt(nowNanos);
        int slot = Math.floorMod(number, numbers.length);
        if (numbers[slot] != number) {
            numbers[slot] = number;
            bytes[slot] = 0;
        }
        bytes[slot] += amount;
    }

    double bytesPerSecond(long nowNanos) {
        long first = firstWithBytes(numberAt(nowNanos) - numbers.length + 1);
        if (first < 0) {
            return 0;
        }
        long elapsed = Math.max(nowNanos - startOf(first), sampleNanos);
        return sumFrom(first) * NANOS_PER_SECOND / elapsed;
    }

    /// When the rate is at or below `limit` if nothing more passes.
    long belowNanos(double limit, long nowNanos) {
        long from = nowNanos;
        long first = firstWithBytes(numberAt(nowNanos) - numbers.length + 1);
        while (first >= 0) {
            double sum = sumFrom(first);
            double needed = sum * NANOS_PER_SECOND / sampleNanos <= limit ? 0 : sum * NANOS_PER_SECOND / limit;
            long forgotten = startOf(first + numbers.length);
            if (needed < forgotten - startOf(first)) {
                return Math.max(from, startOf(first) + (long) Math.ceil(needed));
            }
            // From here on what the first sample held does not count.
            from = Math.max(from, forgotten);
            first = firstWithBytes(first + 1);
        }
        return from;
    }

    private long startOf(long number) {
        return originNanos + number * sampleNanos;
    }

    /// The earliest sample that is remembered, not before `number`, and holds something; -1 if there is none.
    private long firstWithBytes(long number) {
        long first = -1;
        for (int slot = 0; slot < numbers.length; slot++) {
            if (numbers[slot] >= number && bytes[slot] > 0 && (first < 0 || numbers[slot] < first)) {
                first = numbers[slot];
            }
        }
        return first;
    }

    private double sumFrom(long number) {
        double sum = 0;
        for (int slot = 0; slot < numbers.length; slot++) {
            sum += numbers[slot] >= number ? bytes[slot] : 0;
        }
        return sum;
    }
}
