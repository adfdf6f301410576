package io.moldau.ops.connect;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.sink.SinkConnector;

/// A topic's one partition as the lines of a file.
public final class LineSink extends SinkConnector {

    static final ConfigDef CONFIG =
            new ConfigDef().define("file", ConfigDef.Type.STRING, ConfigDef.Importance.HIGH, "the file to write");

    private Map<String, String> settings = Map.of();

    @Override
    public void start(Map<String, String> properties) {
        settings = Map.copyOf(properties);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return LineSinkTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int maxTasks) {
        return List.of(settings);
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
