package io.moldau.log.producer;

/// What DescribeProducers tells of one producer.
///
/// @param lastSequence -1 if it has written no data
/// @param coordinatorEpoch of the last transaction marker, -1 if there was none
/// @param currentTransactionStartOffset -1 if no transaction is open
public record ActiveProducer(
        long producerId,
        short producerEpoch,
        int lastSequence,
        long lastTimestamp,
        int coordinatorEpoch,
        long currentTransactionStartOffset) {}
