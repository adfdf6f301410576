package io.moldau.metadata.quorum;

import java.util.Map;

/// What the library below a [MetadataQuorum] counts and times of itself, over all its members in this process, under
/// its own names.
///
/// @param counters of events
/// @param timings how often and how long something took
/// @param gauges sizes and positions as they are now
public record OwnMetrics(Map<Name, Long> counters, Map<Name, Timing> timings, Map<Name, Double> gauges) {

    /// Of a library that has none.
    public static final OwnMetrics NONE = new OwnMetrics(Map.of(), Map.of(), Map.of());

    /// @param component the part of the library that tells
    public record Name(String component, String name) {}

    public record Timing(long count, long nanos) {

        public Timing plus(Timing other) {
            return new Timing(count + other.count, nanos + other.nanos);
        }
    }

    public OwnMetrics {
        counters = Map.copyOf(counters);
        timings = Map.copyOf(timings);
        gauges = Map.copyOf(gauges);
    }
}
