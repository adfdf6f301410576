package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.JoinGroupRequestData;

/// JoinGroup, versions 0 to 9: 1 adds the rebalance time-out, 4 hands out member ids first (KIP-394), 5 knows static
/// members (KIP-345), 7 answers with the protocol type, 9 lets a leader skip the assignment (KIP-814).
final class JoinGroupHandler implements RequestHandler<JoinGroupRequestData> {

    /// The first version whose answer may leave the protocol out.
    private static final short NULLABLE_PROTOCOL_VERSION = 7;

    private final GroupCoordinator coordinator;

    JoinGroupHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, JoinGroupRequestData request) {
        coordinator.join(GroupApis.member(context), request, response -> {
            if (context.apiVersion() < NULLABLE_PROTOCOL_VERSION && response.protocolName() == null) {
                response.setProtocolName("");
            }
            context.respond(response);
        });
    }
}
