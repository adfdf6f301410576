package io.moldau.metadata.image;

import io.moldau.metadata.record.ConfigRecord;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashPMap;
import org.pcollections.HashTreePMap;
import org.pcollections.PSortedMap;
import org.pcollections.TreePMap;

/// The configuration overrides of every resource that has any.
public record ConfigurationsImage(HashPMap<ConfigResource, PSortedMap<String, String>> resources) {

    public static final ConfigurationsImage EMPTY = new ConfigurationsImage(HashTreePMap.empty());

    /// The overrides of one resource by key, empty if there are none.
    public Map<String, String> overrides(ConfigResource resource) {
        @Nullable PSortedMap<String, String> overrides = resources.get(resource);
        return overrides == null ? Map.of() : overrides;
    }

    /// The resources that have overrides.
    public Set<ConfigResource> names() {
        return resources.keySet();
    }

    ConfigurationsImage with(ConfigRecord record) {
        var resource =
                new ConfigResource(ConfigResource.Type.forCode(record.getResourceType()), record.getResourceName());
        @Nullable PSortedMap<String, String> old = resources.get(resource);
        PSortedMap<String, String> overrides = old == null ? TreePMap.empty() : old;
        overrides = record.hasValue()
                ? overrides.plus(record.getName(), record.getValue())
                : overrides.minus(record.getName());
        return new ConfigurationsImage(
                overrides.isEmpty() ? resources.minus(resource) : resources.plus(resource, overrides));
    }

    ConfigurationsImage without(ConfigResource resource) {
        return resources.containsKey(resource) ? new ConfigurationsImage(resources.minus(resource)) : this;
    }
}
