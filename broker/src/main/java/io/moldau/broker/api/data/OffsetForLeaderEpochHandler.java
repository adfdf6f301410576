package io.moldau.broker.api.data;

import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.OffsetAndEpoch;
import io.moldau.common.TopicPartition;
import io.moldau.wire.message.OffsetForLeaderEpochRequestData;
import io.moldau.wire.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import io.moldau.wire.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import io.moldau.wire.message.OffsetForLeaderEpochResponseData;
import io.moldau.wire.message.OffsetForLeaderEpochResponseData.EpochEndOffset;
import io.moldau.wire.message.OffsetForLeaderEpochResponseData.OffsetForLeaderTopicResult;
import java.util.ArrayList;

/// OffsetForLeaderEpoch, versions 2 to 4: where a leader epoch ended in the leader's log (KIP-101, KIP-320).
public final class OffsetForLeaderEpochHandler implements RequestHandler<OffsetForLeaderEpochRequestData> {

    private final PartitionRegistry partitions;

    public OffsetForLeaderEpochHandler(PartitionRegistry partitions) {
        this.partitions = partitions;
    }

    @Override
    public void handle(RequestContext context, OffsetForLeaderEpochRequestData request) {
        var response = new OffsetForLeaderEpochResponseData();
        for (OffsetForLeaderTopic topic : request.topics()) {
            var answers = new ArrayList<EpochEndOffset>();
            response.topics()
                    .add(new OffsetForLeaderTopicResult()
                            .setTopic(topic.topic())
                            .setPartitions(answers));
            for (OffsetForLeaderPartition it : topic.partitions()) {
                var answer = new EpochEndOffset()
                        .setPartition(it.partition())
                        .setLeaderEpoch(-1)
                        .setEndOffset(-1L);
                answers.add(answer);
                try {
                    Partition partition = partitions.online(new TopicPartition(topic.topic(), it.partition()));
                    Errors refused = partition.checkLeader(it.currentLeaderEpoch());
                    if (refused != Errors.NONE) {
                        throw new ApiException(refused);
                    }
                    OffsetAndEpoch end = partition.log().endOffsetForEpoch(it.leaderEpoch());
                    answer.setLeaderEpoch(end.leaderEpoch()).setEndOffset(end.offset());
                } catch (ApiException e) {
                    answer.setErrorCode(e.error().code());
                }
            }
        }
        context.respond(response);
    }
}
