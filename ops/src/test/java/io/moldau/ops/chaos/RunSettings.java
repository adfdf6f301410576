package io.moldau.ops.chaos;

import java.util.List;
import java.util.stream.IntStream;

/// How much a run does.
///
/// @param perSecond records of each producer over all partitions
public record RunSettings(
        String scenario, long seed, int partitions, int javaProducers, int librdkafkaProducers, int perSecond) {

    /// The numbers of the producers that are Java clients.
    List<Integer> javaNumbers() {
        return IntStream.rangeClosed(1, javaProducers).boxed().toList();
    }

    /// The numbers of the producers that are librdkafka's.
    List<Integer> librdkafkaNumbers() {
        return IntStream.rangeClosed(javaProducers + 1, javaProducers + librdkafkaProducers)
                .boxed()
                .toList();
    }

    /// Three clients that together send to each partition about three times a second, and 1,500 records a second at most.
    static RunSettings of(String scenario, long seed, int partitions) {
        return new RunSettings(scenario, seed, partitions, 2, 1, Math.min(500, partitions * 10));
    }
}
