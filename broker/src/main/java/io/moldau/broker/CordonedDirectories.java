package io.moldau.broker;

import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.LogKeys;
import io.moldau.broker.lifecycle.BrokerRegistrar;
import io.moldau.common.Uuid;
import io.moldau.log.dir.LogDirs;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.ConfigurationsImage;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which log directories of this node are to get no new replicas, by `cordoned.log.dirs`: tells the directories
/// themselves and, by way of the heartbeats, the controller (KIP-1066).
final class CordonedDirectories implements MetadataPublisher {

    private static final Logger LOG = LoggerFactory.getLogger(CordonedDirectories.class);

    private final Map<Path, Uuid> directoryIds;
    private final ConfigResolver resolver;
    private final LogDirs logs;
    private final BrokerRegistrar registrar;

    /// @param directoryIds by the directories' absolute paths
    CordonedDirectories(
            Map<Path, Uuid> directoryIds, ConfigResolver resolver, LogDirs logs, BrokerRegistrar registrar) {
        this.directoryIds = directoryIds;
        this.resolver = resolver;
        this.logs = logs;
        this.registrar = registrar;
    }

    /// Those that the setting stands for.
    ///
    /// @return the ids, in the order of `log.dirs`
    static List<Uuid> ids(Map<Path, Uuid> directoryIds, List<String> setting) {
        Set<Path> cordoned = paths(directoryIds, setting);
        return directoryIds.entrySet().stream()
                .filter(directory -> cordoned.contains(directory.getKey()))
                .map(Map.Entry::getValue)
                .toList();
    }

    private static Set<Path> paths(Map<Path, Uuid> directoryIds, List<String> setting) {
        if (setting.contains(LogKeys.ALL_DIRECTORIES)) {
            return directoryIds.keySet();
        }
        Set<Path> paths = new LinkedHashSet<>();
        for (String directory : setting) {
            Path path = Path.of(directory).toAbsolutePath().normalize();
            if (directoryIds.containsKey(path)) {
                paths.add(path);
            } else {
                LOG.warn("cordoned.log.dirs names a directory that is not in log.dirs directory={}", directory);
            }
        }
        return paths;
    }

    @Override
    public String name() {
        return "cordoned log directories";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        if (delta.configsDelta().changedResources().stream()
                .anyMatch(changed -> changed.type() == ConfigResource.Type.BROKER)) {
            apply(newImage.configs());
        }
    }

    void apply(ConfigurationsImage configs) {
        List<String> setting = resolver.ofBroker(LogKeys.CORDONED_LOG_DIRS, configs);
        logs.cordon(paths(directoryIds, setting));
        registrar.cordoned(ids(directoryIds, setting));
    }
}
