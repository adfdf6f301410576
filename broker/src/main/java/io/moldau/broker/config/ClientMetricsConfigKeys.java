package io.moldau.broker.config;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigSchema;
import io.moldau.common.config.ConfigType;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/// Keys of a client metrics subscription (KIP-714).
public final class ClientMetricsConfigKeys {

    private static final Set<String> SELECTORS = Set.of(
            "client_instance_id",
            "client_id",
            "client_software_name",
            "client_software_version",
            "client_source_address",
            "client_source_port");

    static final ConfigKey<Integer> INTERVAL_MS = ConfigKey.of("interval.ms", ConfigType.intBetween(100, 3_600_000))
            .defaultTo(300_000)
            .describedAs("How often matching clients push their metrics.");

    static final ConfigKey<List<String>> MATCH = ConfigKey.of(
                    "match",
                    ConfigType.list().checked(ClientMetricsConfigKeys::selectors, "selector=regular expression pairs"))
            .defaultTo(List.of())
            .describedAs("Which clients the subscription is for; empty for all.");

    static final ConfigKey<List<String>> METRICS = ConfigKey.of("metrics", ConfigType.list())
            .defaultTo(List.of())
            .describedAs("Prefixes of the metrics wanted; `*` for all.");

    /// In the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.accepted(INTERVAL_MS, Reasons.TELEMETRY).clusterWide(),
            KnownKey.accepted(MATCH, Reasons.TELEMETRY).clusterWide(),
            KnownKey.accepted(METRICS, Reasons.TELEMETRY).clusterWide());

    public static final ConfigSchema SCHEMA = KnownKey.schema(ALL);

    private ClientMetricsConfigKeys() {}

    private static String selectors(List<String> pairs) {
        for (String pair : pairs) {
            int equals = pair.indexOf('=');
            if (equals < 0 || !SELECTORS.contains(pair.substring(0, equals).strip())) {
                return "'" + pair + "' must be one of "
                        + SELECTORS.stream().sorted().toList() + " with = and a regular expression";
            }
            try {
                Pattern.compile(pair.substring(equals + 1).strip());
            } catch (PatternSyntaxException e) {
                return "'" + pair + "' has no valid regular expression: " + e.getDescription();
            }
        }
        return "";
    }
}
