package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.wire.message.DescribeGroupsRequestData;
import io.moldau.wire.message.DescribeGroupsResponseData;

/// DescribeGroups, versions 0 to 6: 3 can ask for the operations the client may do (KIP-430), 6 has an error for a
/// group that does not exist (KIP-1043); before, that is a dead group.
final class DescribeGroupsHandler implements RequestHandler<DescribeGroupsRequestData> {

    private static final short MISSING_GROUPS_VERSION = 6;

    /// READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS and ALTER_CONFIGS, each as a bit with its code: everything there is to
    /// do with a group.
    static final int ALL_OPERATIONS = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11;

    private final GroupCoordinator coordinator;

    DescribeGroupsHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, DescribeGroupsRequestData request) {
        coordinator.describe(request.groups(), context.apiVersion() >= MISSING_GROUPS_VERSION, groups -> {
            if (request.includeAuthorizedOperations()) {
                for (var group : groups) {
                    if (group.errorCode() == Errors.NONE.code()) {
                        group.setAuthorizedOperations(ALL_OPERATIONS);
                    }
                }
            }
            context.respond(new DescribeGroupsResponseData().setGroups(groups));
        });
    }
}
