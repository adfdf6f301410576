package io.moldau.sim;

import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.OffsetFetchRequestData;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import io.moldau.wire.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import io.moldau.wire.message.OffsetFetchResponseData.OffsetFetchResponseGroup;
import java.util.List;

/// Requests about the committed offset of one partition, and what the answers say of it.
final class OffsetRequests {

    private OffsetRequests() {}

    static OffsetCommitRequestData commit(String group, int generation, TopicIdPartition partition, long offset) {
        var topic = new OffsetCommitRequestTopic().setName(partition.topic());
        topic.partitions()
                .add(new OffsetCommitRequestPartition()
                        .setPartitionIndex(partition.partition())
                        .setCommittedOffset(offset)
                        .setCommittedMetadata(""));
        var request = new OffsetCommitRequestData().setGroupId(group).setGenerationIdOrMemberEpoch(generation);
        request.topics().add(topic);
        return request;
    }

    static Errors errorOf(OffsetCommitResponseData response) {
        return Errors.forCode(
                response.topics().getFirst().partitions().getFirst().errorCode());
    }

    static OffsetFetchRequestData fetch(String group, TopicIdPartition partition) {
        var request = new OffsetFetchRequestData();
        request.groups()
                .add(new OffsetFetchRequestGroup()
                        .setGroupId(group)
                        .setTopics(List.of(new OffsetFetchRequestTopics()
                                .setName(partition.topic())
                                .setPartitionIndexes(List.of(partition.partition())))));
        return request;
    }

    static long offsetOf(OffsetFetchResponseGroup answer) {
        return answer.topics().getFirst().partitions().getFirst().committedOffset();
    }
}
