package io.moldau.broker.api.controller;

import io.moldau.broker.api.metadata.BrokerResources;
import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.image.ConfigResource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What a broker checks of a request to change configuration before the controller sees it: what the controller cannot
/// know (to which broker the request came) and what would make the answer ambiguous. Pure.
///
/// Both requests that change configuration are brought into this form.
final class ConfigChanges {

    /// One setting to change; the value is null to remove it.
    record Change(String name, @Nullable String value, boolean removes) {}

    /// One resource of a request, in the request's order.
    record Resource(byte type, String name, List<Change> changes) {}

    private ConfigChanges() {}

    /// The resources that must not be passed on, by their index in the request, each with the reason.
    static Map<Integer, ApiError> refused(List<Resource> resources, int localId) {
        Map<Integer, ApiError> refused = new LinkedHashMap<>();
        Map<List<Object>, Integer> seen = new HashMap<>();
        for (int i = 0; i < resources.size(); i++) {
            Resource resource = resources.get(i);
            Integer twin = seen.putIfAbsent(List.of(resource.type(), resource.name()), i);
            if (twin != null) {
                ApiError twice =
                        new ApiError(Errors.INVALID_REQUEST, "Each resource must appear at most once in a request.");
                refused.put(twin, twice);
                refused.put(i, twice);
                continue;
            }
            try {
                check(resource, localId);
            } catch (ApiException e) {
                refused.put(i, e.toApiError());
            }
        }
        return refused;
    }

    private static void check(Resource resource, int localId) {
        if (!ConfigResource.Type.exists(resource.type())) {
            throw new ApiException(
                    Errors.INVALID_REQUEST,
                    "The resource type " + resource.type() + " has no configuration. Known are 2 (topic), 4"
                            + " (broker), 8 (broker logger), 16 (client metrics), 32 (group).");
        }
        ConfigResource.Type type = ConfigResource.Type.forCode(resource.type());
        if (type == ConfigResource.Type.BROKER && !resource.name().isEmpty()) {
            BrokerResources.checkLocal(resource.name(), localId, true);
        }
        Set<String> names = new HashSet<>();
        List<String> twice = new ArrayList<>();
        List<String> withoutValue = new ArrayList<>();
        for (Change change : resource.changes()) {
            if (!names.add(change.name())) {
                twice.add(change.name());
            }
            if (change.value() == null && !change.removes()) {
                withoutValue.add(change.name());
            }
        }
        if (!twice.isEmpty()) {
            throw new ApiException(
                    Errors.INVALID_REQUEST, "A resource names each key at most once; these are there twice: " + twice);
        }
        if (!withoutValue.isEmpty()) {
            throw new ApiException(
                    Errors.INVALID_REQUEST, "Null value not supported for: " + String.join(", ", withoutValue));
        }
    }
}
