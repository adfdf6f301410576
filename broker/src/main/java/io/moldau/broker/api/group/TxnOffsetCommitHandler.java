package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import io.moldau.wire.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.TxnOffsetCommitRequestData;
import io.moldau.wire.message.TxnOffsetCommitResponseData;
import io.moldau.wire.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponsePartition;
import io.moldau.wire.message.TxnOffsetCommitResponseData.TxnOffsetCommitResponseTopic;
import java.util.function.Supplier;

/// TxnOffsetCommit, versions 0 to 6: OffsetCommit inside a transaction (KIP-98). Version 2 adds the leader epoch, 3 the
/// member (KIP-447), from 5 on it adds the offsets to the transaction by itself (KIP-890), 6 names topics by id.
final class TxnOffsetCommitHandler implements RequestHandler<TxnOffsetCommitRequestData> {

    private static final short LOAD_IN_PROGRESS_VERSION = 2;
    private static final short TOPIC_IDS_VERSION = 6;

    private final GroupCoordinator coordinator;
    private final Supplier<MetadataImage> image;

    TxnOffsetCommitHandler(GroupCoordinator coordinator, Supplier<MetadataImage> image) {
        this.coordinator = coordinator;
        this.image = image;
    }

    @Override
    public void handle(RequestContext context, TxnOffsetCommitRequestData request) {
        var commit = commit(request);
        var refused = OffsetCommitHandler.keepExisting(
                commit, image.get().topics(), context.apiVersion() >= TOPIC_IDS_VERSION);
        if (commit.topics().isEmpty()) {
            context.respond(response(new OffsetCommitResponseData().setTopics(refused), context.apiVersion()));
            return;
        }
        coordinator.commitTransactionalOffsets(
                GroupApis.member(context),
                request.transactionalId(),
                request.producerId(),
                request.producerEpoch(),
                commit,
                response -> {
                    OffsetCommitHandler.merge(response, refused);
                    context.respond(response(response, context.apiVersion()));
                });
    }

    private static OffsetCommitRequestData commit(TxnOffsetCommitRequestData request) {
        var commit = new OffsetCommitRequestData()
                .setGroupId(request.groupId())
                .setMemberId(request.memberId())
                .setGroupInstanceId(request.groupInstanceId())
                .setGenerationIdOrMemberEpoch(request.generationIdOrMemberEpoch());
        for (var topic : request.topics()) {
            var same = new OffsetCommitRequestTopic().setName(topic.name()).setTopicId(topic.topicId());
            for (var partition : topic.partitions()) {
                same.partitions()
                        .add(new OffsetCommitRequestPartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setCommittedOffset(partition.committedOffset())
                                .setCommittedLeaderEpoch(partition.committedLeaderEpoch())
                                .setCommittedMetadata(partition.committedMetadata()));
            }
            commit.topics().add(same);
        }
        return commit;
    }

    private static TxnOffsetCommitResponseData response(OffsetCommitResponseData response, short version) {
        var same = new TxnOffsetCommitResponseData();
        for (var topic : response.topics()) {
            var sameTopic =
                    new TxnOffsetCommitResponseTopic().setName(topic.name()).setTopicId(topic.topicId());
            for (var partition : topic.partitions()) {
                var error = Errors.forCode(partition.errorCode());
                // The first clients with transactions do not expect it here.
                if (error == Errors.COORDINATOR_LOAD_IN_PROGRESS && version < LOAD_IN_PROGRESS_VERSION) {
                    error = Errors.COORDINATOR_NOT_AVAILABLE;
                }
                sameTopic
                        .partitions()
                        .add(new TxnOffsetCommitResponsePartition()
                                .setPartitionIndex(partition.partitionIndex())
                                .setErrorCode(error.code()));
            }
            same.topics().add(sameTopic);
        }
        return same;
    }
}
