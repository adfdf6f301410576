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

    /// Three clients, each with five records a second for each partition, and 900 a second together at most: the
    /// clients
    /// and the nodes share one machine.
    static RunSettings of(String scenario, long seed, int partitions) {
        return new RunSettings(scenario, seed, partitions, 2, 1, Math.min(300, partitions * 5));
    }
}
