package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.DeleteGroupsRequestData;
import io.moldau.wire.message.DeleteGroupsResponseData;
import java.util.LinkedHashSet;
import java.util.List;

/// DeleteGroups, versions 0 to 3: 3 says why a group was not deleted.
final class DeleteGroupsHandler implements RequestHandler<DeleteGroupsRequestData> {

    private final GroupCoordinator coordinator;

    DeleteGroupsHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, DeleteGroupsRequestData request) {
        var groups = List.copyOf(new LinkedHashSet<>(request.groupsNames()));
        coordinator.delete(groups, results -> context.respond(new DeleteGroupsResponseData().setResults(results)));
    }
}
