package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData;

/// ConsumerGroupHeartbeat, versions 0 and 1 (KIP-848): 1 lets members choose their ids and subscribe by an expression.
/// Members join, go on and leave by it.
final class ConsumerGroupHeartbeatHandler implements RequestHandler<ConsumerGroupHeartbeatRequestData> {

    private final GroupCoordinator coordinator;

    ConsumerGroupHeartbeatHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, ConsumerGroupHeartbeatRequestData request) {
        coordinator.consumerHeartbeat(GroupApis.member(context), request, context::respond);
    }
}
