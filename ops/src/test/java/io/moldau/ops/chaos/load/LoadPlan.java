package io.moldau.ops.chaos.load;

/// What one client does.
///
/// @param producer its number, unique in a run
/// @param perSecond records over all partitions, one partition after the other
/// @param valueSize bytes
public record LoadPlan(String bootstrap, String topic, int partitions, int producer, int perSecond, int valueSize) {}
