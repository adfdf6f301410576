package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.wire.message.ConsumerGroupDescribeRequestData;
import io.moldau.wire.message.ConsumerGroupDescribeResponseData;

/// ConsumerGroupDescribe, versions 0 and 1 (KIP-848): 1 tells which protocol a member speaks (KIP-1099).
final class ConsumerGroupDescribeHandler implements RequestHandler<ConsumerGroupDescribeRequestData> {

    private final GroupCoordinator coordinator;

    ConsumerGroupDescribeHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, ConsumerGroupDescribeRequestData request) {
        coordinator.describeConsumers(request.groupIds(), groups -> {
            if (request.includeAuthorizedOperations()) {
                for (var group : groups) {
                    if (group.errorCode() == Errors.NONE.code()) {
                        group.setAuthorizedOperations(DescribeGroupsHandler.ALL_OPERATIONS);
                    }
                }
            }
            context.respond(new ConsumerGroupDescribeResponseData().setGroups(groups));
        });
    }
}
