package io.moldau.metadata.image;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/// Which resources' overrides changed. Owned by whoever owns the [MetadataDelta].
public final class ConfigurationsDelta {

    private final ConfigurationsImage base;
    private final ConfigurationsImage image;
    private final Set<ConfigResource> changed = new LinkedHashSet<>();

    ConfigurationsDelta(ConfigurationsImage base, ConfigurationsImage image, Set<ConfigResource> touched) {
        this.base = base;
        this.image = image;
        for (ConfigResource resource : touched) {
            if (!base.overrides(resource).equals(image.overrides(resource))) {
                changed.add(resource);
            }
        }
    }

    public boolean isEmpty() {
        return changed.isEmpty();
    }

    public ConfigurationsImage image() {
        return image;
    }

    public Set<ConfigResource> changedResources() {
        return Collections.unmodifiableSet(changed);
    }

    public Map<String, String> before(ConfigResource resource) {
        return base.overrides(resource);
    }

    public Map<String, String> after(ConfigResource resource) {
        return image.overrides(resource);
    }
}
