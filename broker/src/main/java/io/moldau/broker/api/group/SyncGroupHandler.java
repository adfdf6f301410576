package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.message.SyncGroupRequestData;

/// SyncGroup, versions 0 to 5: 3 knows static members, 5 names the protocol so that a mix-up is seen (KIP-559).
final class SyncGroupHandler implements RequestHandler<SyncGroupRequestData> {

    /// The first version that has to name the protocol.
    private static final short PROTOCOL_VERSION = 5;

    private final GroupCoordinator coordinator;

    SyncGroupHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, SyncGroupRequestData request) {
        boolean named = request.protocolType() != null && request.protocolName() != null;
        if (context.apiVersion() >= PROTOCOL_VERSION && !named) {
            throw new ApiException(Errors.INCONSISTENT_GROUP_PROTOCOL);
        }
        coordinator.sync(request, context::respond);
    }
}
