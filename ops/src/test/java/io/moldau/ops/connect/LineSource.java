package io.moldau.ops.connect;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;

/// The lines of a file that grows, each a record.
public final class LineSource extends SourceConnector {

    static final ConfigDef CONFIG = new ConfigDef()
            .define("file", ConfigDef.Type.STRING, ConfigDef.Importance.HIGH, "the file to read")
            .define("topic", ConfigDef.Type.STRING, ConfigDef.Importance.HIGH, "where its lines go");

    private Map<String, String> settings = Map.of();

    @Override
    public void start(Map<String, String> properties) {
        settings = Map.copyOf(properties);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return LineSourceTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        return List.of(settings);
    }

    /// What it has read is a position in the file, so nothing is read twice.
    @Override
    public ExactlyOnceSupport exactlyOnceSupport(Map<String, String> properties) {
        return ExactlyOnceSupport.SUPPORTED;
    }

    @Override
    public ConfigDef config() {
        return CONFIG;
    }

    @Override
    public void stop() {}

    @Override
    public String version() {
        return "1";
    }
}
