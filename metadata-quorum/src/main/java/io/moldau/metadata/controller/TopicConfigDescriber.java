package io.moldau.metadata.controller;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Tells a topic's whole configuration, for the answer to CreateTopics from version 5 on (KIP-525).
public interface TopicConfigDescriber {

    /// @param value null for a sensitive key
    /// @param source Kafka's code: 1 topic override, 2 dynamic broker, 3 dynamic default broker, 4 static broker, 5
    ///     default
    record Entry(String name, @Nullable String value, boolean readOnly, byte source, boolean sensitive) {}

    /// @param overrides the topic's own
    /// @param brokerOverrides the dynamic defaults of all brokers
    List<Entry> describe(Map<String, String> overrides, Map<String, String> brokerOverrides);

    /// Describes nothing; for tests of other things.
    static TopicConfigDescriber none() {
        return (overrides, brokerOverrides) -> List.of();
    }
}
