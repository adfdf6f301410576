package io.moldau.broker.api.data;

import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.broker.request.RequestTasks;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.wire.message.DeleteRecordsRequestData;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import io.moldau.wire.message.DeleteRecordsResponseData;
import io.moldau.wire.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import io.moldau.wire.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import java.util.ArrayList;
import java.util.concurrent.Executor;

/// DeleteRecords, versions 0 to 2 (KIP-107): moves the log start, to the high watermark where the offset is -1.
///
/// The new start survives a power cut before it is answered, so the work is done by a thread that may wait for the
/// disk.
public final class DeleteRecordsHandler implements RequestHandler<DeleteRecordsRequestData> {

    private final PartitionRegistry partitions;
    private final Executor background;

    /// @param background threads that may wait for the disk
    public DeleteRecordsHandler(PartitionRegistry partitions, Executor background) {
        this.partitions = partitions;
        this.background = background;
    }

    @Override
    public void handle(RequestContext context, DeleteRecordsRequestData request) {
        RequestTasks.answer(background, context, () -> delete(request));
    }

    private DeleteRecordsResponseData delete(DeleteRecordsRequestData request) {
        var response = new DeleteRecordsResponseData();
        for (DeleteRecordsTopic topic : request.topics()) {
            var answers = new ArrayList<DeleteRecordsPartitionResult>();
            response.topics()
                    .add(new DeleteRecordsTopicResult().setName(topic.name()).setPartitions(answers));
            for (DeleteRecordsPartition it : topic.partitions()) {
                var answer = new DeleteRecordsPartitionResult()
                        .setPartitionIndex(it.partitionIndex())
                        .setLowWatermark(-1L);
                answers.add(answer);
                try {
                    Partition partition = partitions.online(new TopicPartition(topic.name(), it.partitionIndex()));
                    if (!partition.settings().log().delete()) {
                        throw new ApiException(
                                Errors.POLICY_VIOLATION,
                                "cleanup.policy of " + topic.name() + " is without delete, so its records stay");
                    }
                    answer.setLowWatermark(partition.deleteRecordsBefore(it.offset()));
                } catch (ApiException e) {
                    answer.setErrorCode(e.error().code());
                }
            }
        }
        return response;
    }
}
