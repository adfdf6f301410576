package io.moldau.ops.metrics;

/// The requests of one API. A value.
///
/// @param durations from the last byte of a request to its answer, by bucket of [Histogram]
/// @param errors codes in answers
// Never compared, and its array never leaves this package.
@SuppressWarnings("ArrayRecordComponent")
record Served(long[] durations, long errors) {

    static final Served NONE = new Served(new long[Histogram.BOUNDS.length], 0);

    Served minus(Served other) {
        var left = new long[durations.length];
        for (int i = 0; i < left.length; i++) {
            left[i] = durations[i] - other.durations[i];
        }
        return new Served(left, errors - other.errors);
    }

    long requests() {
        long sum = 0;
        for (long count : durations) {
            sum += count;
        }
        return sum;
    }
}
