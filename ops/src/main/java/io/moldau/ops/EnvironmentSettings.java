package io.moldau.ops;

import io.moldau.broker.config.NodeConfig;
import io.moldau.common.config.ConfigSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Settings that stand in environment variables, as containers are given theirs: `MOLDAU_ADVERTISED_LISTENERS` sets
/// `advertised.listeners`.
///
/// In the name `_` stands for `.`, `__` for `_` and `___` for `-`. A key that begins with `moldau.` may be written
/// without it: `MOLDAU_CLUSTER_ID` sets `moldau.cluster.id`. A variable that sets nothing is refused, since a
/// misspelt setting would otherwise be lost in silence. Pure.
final class EnvironmentSettings {

    static final String PREFIX = "MOLDAU_";

    /// The launcher's own; they size the process and never reach the settings.
    static final Set<String> OF_THE_LAUNCHER = Set.of("MOLDAU_HEAP", "MOLDAU_JVM_OPTS");

    private static final String OWN_KEYS = "moldau.";

    /// What Kubernetes, and Docker's old links, put into the environment of every neighbour of a service whose name
    /// begins with `moldau`. Nobody wrote these as settings.
    private static final Pattern OF_A_SERVICE = Pattern.compile(
            "MOLDAU_(?:\\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\\w+)?|PORT_\\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)");

    private static final Pattern SERVICE_PORT = Pattern.compile("MOLDAU_(?:\\w+_)?PORT");
    private static final Pattern SERVICE_ADDRESS = Pattern.compile("(?:tcp|udp|sctp)://.+");

    private EnvironmentSettings() {}

    /// @throws UsageException at a variable that sets no key, naming the nearest one that does, or at two that set one
    static Map<String, String> of(Map<String, String> environment) {
        var settings = new LinkedHashMap<String, String>();
        var variables = new LinkedHashMap<String, String>();
        // In order, so that of several mistakes always the same one is told first.
        new TreeMap<>(environment).forEach((variable, value) -> {
            if (!isMeant(variable, value)) {
                return;
            }
            String key = key(variable);
            String other = variables.put(key, variable);
            if (other != null) {
                throw new UsageException("The environment variables " + other + " and " + variable + " both set " + key
                        + ". Remove one of them.");
            }
            settings.put(key, value);
        });
        return settings;
    }

    private static boolean isMeant(String variable, String value) {
        return variable.startsWith(PREFIX)
                && !OF_THE_LAUNCHER.contains(variable)
                && !OF_A_SERVICE.matcher(variable).matches()
                && !(SERVICE_PORT.matcher(variable).matches()
                        && SERVICE_ADDRESS.matcher(value).matches());
    }

    private static String key(String variable) {
        String named = spelt(variable);
        for (String key : List.of(named, OWN_KEYS + named)) {
            if (NodeConfig.knows(key)) {
                return key;
            }
        }
        var names = new LinkedHashMap<String, String>();
        NodeConfig.keyNames().forEach(name -> {
            names.put(name, name);
            if (name.startsWith(OWN_KEYS)) {
                names.putIfAbsent(name.substring(OWN_KEYS.length()), name);
            }
        });
        String nearest = Objects.requireNonNull(ConfigSchema.nearest(named, names.keySet()));
        throw new UsageException("The environment variable " + variable + " would set " + named
                + ", which does not exist. The nearest valid name is " + variable(nearest) + ", for "
                + names.get(nearest) + ".");
    }

    private static String spelt(String variable) {
        return variable.substring(PREFIX.length())
                .toLowerCase(Locale.ROOT)
                // A dot takes the place of one underline only after longer runs have been spoken for.
                .replace("___", "-")
                .replace("__", "\n")
                .replace('_', '.')
                .replace('\n', '_');
    }

    /// The variable that sets a key.
    static String variable(String key) {
        return PREFIX
                + key.replace("_", "__").replace("-", "___").replace('.', '_').toUpperCase(Locale.ROOT);
    }
}
