package io.moldau.broker.api.group;

import io.moldau.broker.coordinator.group.GroupCoordinator;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.message.ListGroupsRequestData;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// ListGroups, versions 0 to 5: 4 filters by state (KIP-518), 5 by type (KIP-848).
final class ListGroupsHandler implements RequestHandler<ListGroupsRequestData> {

    private final GroupCoordinator coordinator;

    ListGroupsHandler(GroupCoordinator coordinator) {
        this.coordinator = coordinator;
    }

    @Override
    public void handle(RequestContext context, ListGroupsRequestData request) {
        coordinator.list(lowerCase(request.statesFilter()), lowerCase(request.typesFilter()), context::respond);
    }

    private static Set<String> lowerCase(List<String> names) {
        return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
    }
}
