package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.coordinator.group.MemberContext;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestRouter;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.message.ConsumerGroupDescribeRequestData;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData;
import io.moldau.wire.message.DeleteGroupsRequestData;
import io.moldau.wire.message.DescribeGroupsRequestData;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.JoinGroupRequestData;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.ListGroupsRequestData;
import io.moldau.wire.message.OffsetCommitRequestData;
import io.moldau.wire.message.OffsetDeleteRequestData;
import io.moldau.wire.message.OffsetFetchRequestData;
import io.moldau.wire.message.SyncGroupRequestData;
import io.moldau.wire.message.TxnOffsetCommitRequestData;
import io.moldau.wire.protocol.ApiKey;
import java.util.function.Supplier;

/// Registers the handlers of this package.
public final class GroupApis {

    private GroupApis() {}

    /// @param image the node's current metadata, to tell which topics exist
    public static void register(
            RequestRouter.Builder router, GroupCoordinator coordinator, Supplier<MetadataImage> image) {
        router.on(ApiKey.JOIN_GROUP, JoinGroupRequestData.class, new JoinGroupHandler(coordinator))
                .on(ApiKey.SYNC_GROUP, SyncGroupRequestData.class, new SyncGroupHandler(coordinator))
                .on(ApiKey.HEARTBEAT, HeartbeatRequestData.class, new HeartbeatHandler(coordinator))
                .on(ApiKey.LEAVE_GROUP, LeaveGroupRequestData.class, new LeaveGroupHandler(coordinator))
                .on(ApiKey.OFFSET_COMMIT, OffsetCommitRequestData.class, new OffsetCommitHandler(coordinator, image))
                .on(
                        ApiKey.TXN_OFFSET_COMMIT,
                        TxnOffsetCommitRequestData.class,
                        new TxnOffsetCommitHandler(coordinator, image))
                .on(ApiKey.OFFSET_FETCH, OffsetFetchRequestData.class, new OffsetFetchHandler(coordinator, image))
                .on(ApiKey.OFFSET_DELETE, OffsetDeleteRequestData.class, new OffsetDeleteHandler(coordinator, image))
                .on(
                        ApiKey.CONSUMER_GROUP_HEARTBEAT,
                        ConsumerGroupHeartbeatRequestData.class,
                        new ConsumerGroupHeartbeatHandler(coordinator))
                .on(
                        ApiKey.CONSUMER_GROUP_DESCRIBE,
                        ConsumerGroupDescribeRequestData.class,
                        new ConsumerGroupDescribeHandler(coordinator))
                .on(ApiKey.DESCRIBE_GROUPS, DescribeGroupsRequestData.class, new DescribeGroupsHandler(coordinator))
                .on(ApiKey.LIST_GROUPS, ListGroupsRequestData.class, new ListGroupsHandler(coordinator))
                .on(ApiKey.DELETE_GROUPS, DeleteGroupsRequestData.class, new DeleteGroupsHandler(coordinator));
    }

    static MemberContext member(RequestContext context) {
        var clientId = context.clientId();
        return new MemberContext(clientId == null ? "" : clientId, "/" + context.clientAddress(), context.apiVersion());
    }
}
