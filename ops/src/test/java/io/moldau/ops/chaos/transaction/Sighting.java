package io.moldau.ops.chaos.transaction;

import org.apache.kafka.common.TopicPartition;

/// A record that a consumer was given.
public record Sighting(TopicPartition partition, long offset, Mark mark) {}
