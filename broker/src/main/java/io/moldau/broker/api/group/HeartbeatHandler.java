package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.HeartbeatRequestData;

/// Heartbeat, versions 0 to 4: 3 knows static members.
final class HeartbeatHandler implements RequestHandler<HeartbeatRequestData> {

    private final GroupCoordinator coordinator;

    HeartbeatHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, HeartbeatRequestData request) {
        coordinator.heartbeat(request, context::respond);
    }
}
