package io.moldau.broker.request;

import io.moldau.common.ApiException;
import io.moldau.wire.message.AddRaftVoterResponseData;
import io.moldau.wire.message.AlterPartitionReassignmentsResponseData;
import io.moldau.wire.message.ApiVersionsResponseData;
import io.moldau.wire.message.ControllerRegistrationResponseData;
import io.moldau.wire.message.DescribeClusterResponseData;
import io.moldau.wire.message.DescribeLogDirsResponseData;
import io.moldau.wire.message.DescribeQuorumResponseData;
import io.moldau.wire.message.ElectLeadersResponseData;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.FindCoordinatorResponseData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.InitProducerIdResponseData;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.LeaveGroupResponseData;
import io.moldau.wire.message.ListConfigResourcesResponseData;
import io.moldau.wire.message.ListGroupsResponseData;
import io.moldau.wire.message.ListPartitionReassignmentsResponseData;
import io.moldau.wire.message.OffsetDeleteResponseData;
import io.moldau.wire.message.RemoveRaftVoterResponseData;
import io.moldau.wire.message.SyncGroupResponseData;
import io.moldau.wire.message.UnregisterBrokerResponseData;
import io.moldau.wire.message.UnregisterControllerResponseData;
import io.moldau.wire.message.UpdateFeaturesResponseData;
import io.moldau.wire.message.UpdateRaftVoterResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import org.jspecify.annotations.Nullable;

/// Answers that consist of one error code, for the APIs whose responses have a place for one.
public final class ErrorResponses {

    private ErrorResponses() {}

    /// The API's response with the failure's error in it, or null if its responses have errors only per item: such
    /// a handler answers item by item, or overrides [RequestHandler#errorResponse].
    public static @Nullable Message of(ApiKey api, short version, ApiException failure) {
        short code = failure.error().code();
        return switch (api) {
            case API_VERSIONS -> new ApiVersionsResponseData().setErrorCode(code);
            // Without an error code of its own before sessions came.
            case FETCH -> version >= 7 ? new FetchResponseData().setErrorCode(code) : null;
            case INIT_PRODUCER_ID ->
                new InitProducerIdResponseData()
                        .setErrorCode(code)
                        .setProducerId(-1L)
                        .setProducerEpoch((short) -1);
            case LIST_CONFIG_RESOURCES -> new ListConfigResourcesResponseData().setErrorCode(code);
            case DESCRIBE_CLUSTER ->
                new DescribeClusterResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case ELECT_LEADERS -> new ElectLeadersResponseData().setErrorCode(code);
            case ALTER_PARTITION_REASSIGNMENTS ->
                new AlterPartitionReassignmentsResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case LIST_PARTITION_REASSIGNMENTS ->
                new ListPartitionReassignmentsResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case DESCRIBE_QUORUM ->
                new DescribeQuorumResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case ADD_RAFT_VOTER ->
                new AddRaftVoterResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case REMOVE_RAFT_VOTER ->
                new RemoveRaftVoterResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case UPDATE_RAFT_VOTER -> new UpdateRaftVoterResponseData().setErrorCode(code);
            case CONTROLLER_REGISTRATION ->
                new ControllerRegistrationResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case UNREGISTER_CONTROLLER ->
                new UnregisterControllerResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case UPDATE_FEATURES ->
                new UpdateFeaturesResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case UNREGISTER_BROKER ->
                new UnregisterBrokerResponseData().setErrorCode(code).setErrorMessage(failure.getMessage());
            case DESCRIBE_LOG_DIRS -> version >= 3 ? new DescribeLogDirsResponseData().setErrorCode(code) : null;
            case FIND_COORDINATOR ->
                version < 4
                        ? new FindCoordinatorResponseData()
                                .setErrorCode(code)
                                .setErrorMessage(version >= 1 ? failure.getMessage() : "")
                                .setNodeId(-1)
                                .setHost("")
                                .setPort(-1)
                        : null;
            case JOIN_GROUP ->
                new JoinGroupResponseData()
                        .setErrorCode(code)
                        .setGenerationId(-1)
                        .setProtocolName(version >= 7 ? null : "");
            case SYNC_GROUP -> new SyncGroupResponseData().setErrorCode(code);
            case HEARTBEAT -> new HeartbeatResponseData().setErrorCode(code);
            case LEAVE_GROUP -> new LeaveGroupResponseData().setErrorCode(code);
            case LIST_GROUPS -> new ListGroupsResponseData().setErrorCode(code);
            case OFFSET_DELETE -> new OffsetDeleteResponseData().setErrorCode(code);
            default -> null;
        };
    }
}
