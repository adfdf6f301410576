package io.moldau.ops.cli;

import java.time.Duration;
import java.util.Properties;

/// What a bench is to do.
///
/// @param records so many in all; 0 to go by the time
/// @param duration how long, if it goes by the time
/// @param warmUp before that, not measured
/// @param perSecond records a second; 0 for as many as go
/// @param producer properties of each producer
/// @param consumer properties of each consumer
record BenchPlan(
        String topic,
        int recordBytes,
        long records,
        Duration duration,
        Duration warmUp,
        double perSecond,
        int producers,
        int consumers,
        Properties producer,
        Properties consumer) {

    boolean byTime() {
        return records == 0;
    }

    BenchPlan withRate(double rate) {
        return new BenchPlan(
                topic, recordBytes, records, duration, warmUp, rate, producers, consumers, producer, consumer);
    }

    /// The same, but so many records as fast as they go, and no warm-up.
    BenchPlan filling(long count) {
        return new BenchPlan(
                topic, recordBytes, count, duration, Duration.ZERO, 0, producers, consumers, producer, consumer);
    }
}
