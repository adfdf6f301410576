package io.moldau.ops.cli;

import io.moldau.broker.config.NodeConfig;
import io.moldau.ops.NodeSettings;
import io.moldau.ops.UsageException;
import io.moldau.ops.report.Words;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau check-config`: whether a node would start with these settings.
@Command(
        name = "check-config",
        description = {
            "Checks a node's settings as 'moldau start' does, and tells everything that is wrong at once,"
                    + " those of environment variables (MOLDAU_NUM_PARTITIONS for num.partitions) included.",
            "",
            "Nothing is started, opened or written. The exit status is 2 if something is wrong."
        },
        footer = {
            "",
            "Examples:",
            "  moldau check-config server.properties",
            "  moldau check-config server.properties -o num.partitions=3 --json"
        })
final class CheckConfigCommand implements Callable<Integer> {

    private static final int WRONG = 2;

    private final ToolContext context;

    @Parameters(paramLabel = "FILE", arity = "0..1", description = "A file of broker properties.")
    private @Nullable Path file;

    @Option(names = "-o", paramLabel = "KEY=VALUE", description = "A key over the file's; may be repeated.")
    private Map<String, String> overrides = Map.of();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    CheckConfigCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        Map<String, String> settings;
        List<String> findings;
        try {
            settings = NodeSettings.of(
                    Optional.ofNullable(file), overrides, context.machine().environment());
            findings = NodeConfig.findings(settings);
        } catch (UsageException e) {
            settings = Map.of();
            findings = List.of(String.valueOf(e.getMessage()));
        }
        Map<String, String> idle =
                findings.isEmpty() ? NodeConfig.fromProperties(settings).withoutEffect() : Map.of();
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("ok", findings.isEmpty());
        value.put("findings", findings);
        value.put("withoutEffect", idle);
        var text = new StringBuilder();
        findings.forEach(finding -> text.append("wrong: ").append(finding).append('\n'));
        idle.forEach((key, reason) -> text.append("no effect: ")
                .append(key)
                .append(": ")
                .append(reason)
                .append('\n'));
        text.append(
                findings.isEmpty()
                        ? "A node would start with these settings."
                        : "A node would not start: " + Words.count(findings.size(), "finding") + ".");
        context.print(json, value, text.toString());
        return findings.isEmpty() ? ClusterCommand.DONE : WRONG;
    }
}
