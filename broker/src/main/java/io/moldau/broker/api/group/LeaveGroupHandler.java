package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.LeaveGroupRequestData;
import io.moldau.wire.message.LeaveGroupRequestData.MemberIdentity;
import io.moldau.wire.message.LeaveGroupResponseData;
import java.util.List;

/// LeaveGroup, versions 0 to 5: until 2 one member leaves and the answer is one error, from 3 on several do, also
/// static ones by their instance (KIP-345); 5 adds a reason, which nothing depends on.
final class LeaveGroupHandler implements RequestHandler<LeaveGroupRequestData> {

    private static final short SEVERAL_MEMBERS_VERSION = 3;

    private final GroupCoordinator coordinator;

    LeaveGroupHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, LeaveGroupRequestData request) {
        if (context.apiVersion() >= SEVERAL_MEMBERS_VERSION) {
            coordinator.leave(request, context::respond);
            return;
        }
        request.setMembers(List.of(new MemberIdentity().setMemberId(request.memberId())));
        coordinator.leave(request, response -> context.respond(asOneError(response)));
    }

    private static LeaveGroupResponseData asOneError(LeaveGroupResponseData response) {
        short error = response.errorCode() == 0 && !response.members().isEmpty()
                ? response.members().getFirst().errorCode()
                : response.errorCode();
        return new LeaveGroupResponseData().setErrorCode(error);
    }
}
