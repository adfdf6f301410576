package io.moldau.ops.metrics;

/// What has gone in and out of a topic on this node, or does so in a second. A value.
///
/// @param failures of produce and fetch requests
record Traffic(long records, long bytesIn, long bytesOut, long replicationIn, long replicationOut, long failures) {

    static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0);

    Traffic plus(Traffic other) {
        return new Traffic(
                records + other.records,
                bytesIn + other.bytesIn,
                bytesOut + other.bytesOut,
                replicationIn + other.replicationIn,
                replicationOut + other.replicationOut,
                failures + other.failures);
    }

    Traffic minus(Traffic other) {
        return new Traffic(
                records - other.records,
                bytesIn - other.bytesIn,
                bytesOut - other.bytesOut,
                replicationIn - other.replicationIn,
                replicationOut - other.replicationOut,
                failures - other.failures);
    }
}
