package io.moldau.ops.cli;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/// Values of records: letters by chance, which compress to about two thirds, the same in every run. The first bytes
/// say which run a record is measured in, if it is, and when it was due. One thread's.
final class BenchPayload {

    /// A record holds the run and the time.
    static final int LEAST_BYTES = 2 * Long.BYTES;

    private static final int DIFFERENT = 256;
    private static final long SEED = 20_260_101;

    private final byte[][] values;
    private final long run;
    private int next;

    BenchPayload(int bytes, long run) {
        this.run = run;
        this.values = new byte[DIFFERENT][bytes];
        var random = new SplittableRandom(SEED);
        for (byte[] value : values) {
            for (int i = 0; i < bytes; i++) {
                value[i] = (byte) ('a' + random.nextInt(26));
            }
        }
    }

    byte[] next(long dueNanos, boolean measured) {
        byte[] value = values[next++ % DIFFERENT].clone();
        ByteBuffer.wrap(value).putLong(measured ? run : ~run).putLong(dueNanos);
        return value;
    }

    static boolean isOf(long run, byte[] value) {
        return value.length >= LEAST_BYTES && ByteBuffer.wrap(value).getLong() == run;
    }

    static long dueNanos(byte[] value) {
        return ByteBuffer.wrap(value).getLong(Long.BYTES);
    }
}
