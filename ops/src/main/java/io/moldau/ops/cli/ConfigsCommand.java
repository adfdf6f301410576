package io.moldau.ops.cli;

import io.moldau.common.config.ConfigSchema;
import io.moldau.ops.cli.Cluster.Setting;
import io.moldau.ops.report.TextTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigResource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau configs`: settings of topics and brokers while they run (KIP-226, KIP-339).
@Command(
        name = "configs",
        description = {
            "Shows and changes settings of topics, of brokers, and of groups, and log levels, while they run.",
            "",
            "'broker default' means all brokers. 'logger ID' are the log levels of a broker: the name of a logger or of a"
                    + " package, and TRACE, DEBUG, INFO, WARN, ERROR or FATAL; they hold until the broker is restarted."
        },
        footer = {
            "",
            "Examples:",
            "  moldau configs show topic orders",
            "  moldau configs show broker 1 --all",
            "  moldau configs set topic orders retention.ms=86400000",
            "  moldau configs unset topic orders retention.ms",
            "  moldau configs set broker default log.retention.ms=86400000",
            "  moldau configs set logger 1 io.moldau.broker.net=DEBUG"
        })
final class ConfigsCommand {

    /// Whose settings are meant.
    enum Kind {
        topic(ConfigResource.Type.TOPIC),
        broker(ConfigResource.Type.BROKER),
        group(ConfigResource.Type.GROUP),
        logger(ConfigResource.Type.BROKER_LOGGER);

        private final ConfigResource.Type type;

        Kind(ConfigResource.Type type) {
            this.type = type;
        }

        ConfigResource named(String name) {
            return new ConfigResource(type, this == broker && name.equals("default") ? "" : name);
        }
    }

    /// What stands behind each of the commands.
    private abstract static class OfResource extends ClusterCommand {

        @Parameters(index = "0", paramLabel = "KIND", description = "One of: ${COMPLETION-CANDIDATES}.")
        private Kind kind = Kind.topic;

        @Parameters(index = "1", paramLabel = "NAME", description = "The topic, the broker's id, or the group.")
        private String name = "";

        OfResource(ToolContext context) {
            super(context);
        }

        @Override
        void check() {
            boolean number = name.matches("\\d{1,10}");
            if (kind == Kind.broker && !name.equals("default") && !number) {
                throw new ToolException("'" + name + "' is no broker.", "Give its id, or 'default' for all brokers.");
            }
            if (kind == Kind.logger && !number) {
                throw new ToolException(
                        "'" + name + "' is no broker.", "Give the id of the one broker whose loggers are meant.");
            }
        }

        ConfigResource resource() {
            return kind.named(name);
        }

        String subject() {
            return kind.name() + " " + name;
        }
    }

    /// `moldau configs show`
    @Command(
            name = "show",
            description =
                    "Shows settings that somebody made, with where they come from; --all also shows the defaults.",
            footer = {
                "",
                "Examples:",
                "  moldau configs show topic orders",
                "  moldau configs show topic orders retention.ms",
                "  moldau configs show broker 1 --all --json"
            })
    static final class Show extends OfResource {

        @Parameters(index = "2..*", paramLabel = "KEY", arity = "0..*", description = "Only these keys.")
        private List<String> keys = List.of();

        @Option(names = "--all", description = "Defaults too.")
        private boolean all;

        Show(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            List<Setting> every = cluster.configs(resource());
            for (String key : keys) {
                if (every.stream().noneMatch(setting -> setting.name().equals(key))) {
                    throw new ToolException(
                            "There is no setting " + key + " of " + subject() + ".",
                            "The nearest is "
                                    + ConfigSchema.nearest(
                                            key,
                                            every.stream().map(Setting::name).toList())
                                    + "; --all shows the names of all settings.");
                }
            }
            List<Setting> shown = every.stream()
                    .filter(setting -> keys.isEmpty() ? all || !setting.isDefault() : keys.contains(setting.name()))
                    .toList();
            print(Map.of("configs", shown.stream().map(Show::json).toList()), text(shown));
            return DONE;
        }

        private String text(List<Setting> shown) {
            if (shown.isEmpty()) {
                return "Nothing is set for " + subject() + "; --all shows the defaults.";
            }
            var table = new TextTable("KEY", "VALUE", "SOURCE", "CHANGE");
            for (Setting setting : shown) {
                table.row(
                        setting.name(),
                        setting.sensitive() ? "(hidden)" : Objects.requireNonNullElse(setting.value(), "-"),
                        setting.source(),
                        setting.readOnly() ? "needs a restart" : "any time");
            }
            return table.toString();
        }

        private static Map<String, Object> json(Setting setting) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("name", setting.name());
            String value = setting.value();
            if (value != null) {
                json.put("value", value);
            }
            json.put("source", setting.source());
            json.put("default", setting.isDefault());
            json.put("readOnly", setting.readOnly());
            json.put("sensitive", setting.sensitive());
            return json;
        }
    }

    /// `moldau configs set`
    @Command(
            name = "set",
            description = "Sets keys; takes effect at once.",
            footer = {
                "",
                "Examples:",
                "  moldau configs set topic orders retention.ms=86400000 max.message.bytes=2097152"
            })
    static final class Set extends OfResource {

        @Parameters(index = "2..*", paramLabel = "KEY=VALUE", arity = "1..*", description = "What to set.")
        private Map<String, String> settings = Map.of();

        Set(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            Map<String, Optional<String>> changes = new TreeMap<>();
            settings.forEach((key, value) -> changes.put(key, Optional.of(value)));
            cluster.alterConfigs(resource(), changes);
            print(Map.of("set", new TreeMap<>(settings)), "Set for " + subject() + ": " + listed(changes) + ".");
            return DONE;
        }
    }

    /// `moldau configs unset`
    @Command(
            name = "unset",
            description = "Takes settings away, so that the default holds again.",
            footer = {"", "Examples:", "  moldau configs unset topic orders retention.ms"})
    static final class Unset extends OfResource {

        @Parameters(index = "2..*", paramLabel = "KEY", arity = "1..*", description = "What to take away.")
        private List<String> keys = List.of();

        Unset(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            Map<String, Optional<String>> changes = new TreeMap<>();
            keys.forEach(key -> changes.put(key, Optional.empty()));
            cluster.alterConfigs(resource(), changes);
            print(
                    Map.of("unset", List.copyOf(changes.keySet())),
                    "Taken away from " + subject() + ": " + listed(changes) + ".");
            return DONE;
        }
    }

    private static String listed(Map<String, ?> changes) {
        return String.join(", ", changes.keySet());
    }
}
