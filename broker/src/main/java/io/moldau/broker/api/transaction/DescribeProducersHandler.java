package io.moldau.broker.api.transaction;

import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.broker.request.RequestTasks;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.log.producer.ActiveProducer;
import io.moldau.wire.message.DescribeProducersRequestData;
import io.moldau.wire.message.DescribeProducersResponseData;
import io.moldau.wire.message.DescribeProducersResponseData.PartitionResponse;
import io.moldau.wire.message.DescribeProducersResponseData.ProducerState;
import io.moldau.wire.message.DescribeProducersResponseData.TopicResponse;
import java.util.concurrent.Executor;

/// DescribeProducers, version 0: what the leaders of partitions remember of idempotent and transactional producers, to
/// find transactions that nobody ends (KIP-664).
///
/// The first look at a log opens its files, so threads that may wait for the disk do it.
public final class DescribeProducersHandler implements RequestHandler<DescribeProducersRequestData> {

    private final PartitionRegistry partitions;
    private final Executor background;

    /// @param background threads that may wait for the disk
    public DescribeProducersHandler(PartitionRegistry partitions, Executor background) {
        this.partitions = partitions;
        this.background = background;
    }

    @Override
    public void handle(RequestContext context, DescribeProducersRequestData request) {
        RequestTasks.answer(background, context, () -> describe(request));
    }

    private DescribeProducersResponseData describe(DescribeProducersRequestData request) {
        var response = new DescribeProducersResponseData();
        for (var topic : request.topics()) {
            var ofTopic = new TopicResponse().setName(topic.name());
            response.topics().add(ofTopic);
            for (int index : topic.partitionIndexes()) {
                ofTopic.partitions().add(describe(new TopicPartition(topic.name(), index)));
            }
        }
        return response;
    }

    private PartitionResponse describe(TopicPartition id) {
        var response = new PartitionResponse().setPartitionIndex(id.partition());
        try {
            var partition = partitions.online(id);
            if (!partition.isLeader()) {
                throw new ApiException(Errors.NOT_LEADER_OR_FOLLOWER, "this broker does not lead " + id);
            }
            for (var producer : partition.log().activeProducers()) {
                response.activeProducers().add(state(producer));
            }
            return response;
        } catch (ApiException refused) {
            return response.setErrorCode(refused.error().code()).setErrorMessage(refused.getMessage());
        }
    }

    private static ProducerState state(ActiveProducer producer) {
        return new ProducerState()
                .setProducerId(producer.producerId())
                .setProducerEpoch(producer.producerEpoch())
                .setLastSequence(producer.lastSequence())
                .setLastTimestamp(producer.lastTimestamp())
                .setCoordinatorEpoch(producer.coordinatorEpoch())
                .setCurrentTxnStartOffset(producer.currentTransactionStartOffset());
    }
}
