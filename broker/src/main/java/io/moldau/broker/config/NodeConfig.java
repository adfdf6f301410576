package io.moldau.broker.config;

import io.moldau.broker.config.KnownKey.Standing;
import io.moldau.common.Endpoint;
import io.moldau.common.Uuid;
import io.moldau.common.config.ConfigException;
import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigValues;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What a node's settings come to, checked as a whole. Immutable; reads no file and opens no socket.
///
/// Without any setting it is node 1, broker and controller in one, for clients of this machine.
public final class NodeConfig {

    /// What a node does (`process.roles`).
    public enum Role {
        BROKER,
        CONTROLLER
    }

    /// A voter of the metadata quorum, as `controller.quorum.voters` names it.
    public record Voter(int id, String host, int port) {}

    /// An address of `controller.quorum.bootstrap.servers`.
    public record HostPort(String host, int port) {}

    private static final Set<String> PLAINTEXT_ONLY = Set.of("PLAINTEXT");
    private static final Set<String> PROTOCOLS = Set.of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL");

    /// Keys of the reference's own authorizer, which are no keys of a broker.
    private static final Set<String> AUTHORIZER_KEYS = Set.of("super.users", "allow.everyone.if.no.acl.found");

    private static final List<String> RACK_AWARE_SELECTORS =
            List.of("org.apache.kafka.common.replica.RackAwareReplicaSelector");

    private final ConfigValues values;
    private final int nodeId;
    private final Set<Role> roles;
    private final List<Endpoint> listeners;
    private final List<Endpoint> advertisedListeners;
    private final Set<String> controllerListenerNames;
    private final @Nullable String interBrokerListenerName;
    private final List<Voter> voters;
    private final List<HostPort> bootstrapServers;
    private final List<Path> logDirs;

    /// @param problems is told what is wrong with settings that are right one by one; what is made then, if it
    /// returns, is good for nothing else
    private NodeConfig(Map<String, String> settings, Consumer<ConfigException> problems) {
        this.values = BrokerConfigKeys.SCHEMA.parse(brokerSettings(settings));
        refuseWhatIsNotBuilt(values);
        this.nodeId = nodeId(values);
        this.roles = roles(values);
        this.controllerListenerNames = new LinkedHashSet<>(values.get(NetworkKeys.CONTROLLER_LISTENER_NAMES));
        this.listeners = checked(problems, this::checkedListeners, List.of());
        // Without listeners, what follows from them would be wrong for that reason alone.
        boolean listens = !listeners.isEmpty();
        String interBroker = null;
        if (listens) {
            try {
                interBroker = checkedInterBrokerListener();
            } catch (ConfigException e) {
                problems.accept(e);
            }
        }
        this.interBrokerListenerName = interBroker;
        this.advertisedListeners = listens ? checked(problems, this::checkedAdvertisedListeners, List.of()) : List.of();
        this.voters = checked(problems, this::checkedVoters, List.of());
        this.bootstrapServers = checked(problems, this::checkedBootstrapServers, List.of());
        this.logDirs = checked(problems, this::checkedLogDirs, List.of());
        for (Runnable limit : limits()) {
            try {
                limit.run();
            } catch (ConfigException e) {
                problems.accept(e);
            }
        }
    }

    private static <T> T checked(Consumer<ConfigException> problems, Supplier<T> check, T otherwise) {
        try {
            return check.get();
        } catch (ConfigException e) {
            problems.accept(e);
            return otherwise;
        }
    }

    /// @param settings by Kafka's names, as a `server.properties` file or the command line has them
    /// @throws ConfigException if a key is unknown (naming the nearest), a value is not allowed, two settings
    /// contradict each other (naming both), or one asks for what is not built
    public static NodeConfig fromProperties(Map<String, String> settings) {
        return new NodeConfig(settings, problem -> {
            throw problem;
        });
    }

    /// Names of the keys that [#fromProperties] knows, in the order of their documentation.
    public static List<String> keyNames() {
        return BrokerConfigKeys.SCHEMA.keys().stream().map(ConfigKey::name).toList();
    }

    /// Whether a setting of this name is looked at, be it to refuse it with a reason of its own.
    public static boolean knows(String name) {
        return BrokerConfigKeys.SCHEMA.key(name) != null || isForPlugin(name) || isUnbuilt(name);
    }

    /// Everything that would make [#fromProperties] refuse the settings, as far as it can be told at once:
    /// contradictions are looked for between settings that are right one by one.
    public static List<String> findings(Map<String, String> settings) {
        List<String> findings = new ArrayList<>();
        Map<String, String> sound = new LinkedHashMap<>(settings);
        settings.forEach((name, value) -> {
            try {
                refuseWhatIsNotBuilt(BrokerConfigKeys.SCHEMA.parse(brokerSettings(Map.of(name, value))));
            } catch (ConfigException e) {
                findings.add(String.valueOf(e.getMessage()));
                sound.remove(name);
            }
        });
        if (sound.keySet().containsAll(structure(settings))) {
            try {
                var _ = new NodeConfig(sound, problem -> findings.add(String.valueOf(problem.getMessage())));
            } catch (ConfigException e) {
                findings.add(String.valueOf(e.getMessage()));
            }
        }
        return findings;
    }

    /// Settings that others are only judged by if they are right themselves.
    private static List<String> structure(Map<String, String> settings) {
        return settings.keySet().stream()
                .filter(name -> name.equals(ClusterKeys.PROCESS_ROLES.name())
                        || name.contains("listener")
                        || name.startsWith("controller.quorum."))
                .toList();
    }

    public int nodeId() {
        return nodeId;
    }

    public Set<Role> roles() {
        return roles;
    }

    public boolean isBroker() {
        return roles.contains(Role.BROKER);
    }

    public boolean isController() {
        return roles.contains(Role.CONTROLLER);
    }

    /// Where the node listens, controller listeners included. Hosts may be empty (every interface), ports 0 (any).
    public List<Endpoint> listeners() {
        return listeners;
    }

    /// What is told to clients and other brokers. A host may be empty where the listener's is; a port is 0 where the
    /// listener's is, until it is bound.
    public List<Endpoint> advertisedListeners() {
        return advertisedListeners;
    }

    public boolean isControllerListener(String name) {
        return controllerListenerNames.contains(name);
    }

    /// The listener brokers use among themselves; null on a node that is no broker.
    public @Nullable String interBrokerListener() {
        return interBrokerListenerName;
    }

    /// The fixed voters of the metadata quorum; empty where the quorum itself decides who they are.
    public List<Voter> voters() {
        return voters;
    }

    /// Where the metadata quorum is found, this node perhaps among them.
    public List<HostPort> bootstrapServers() {
        return bootstrapServers;
    }

    /// At least one.
    public List<Path> logDirs() {
        return logDirs;
    }

    public Path metadataLogDir() {
        @Nullable String dir = values.find(ClusterKeys.METADATA_LOG_DIR);
        return dir == null ? logDirs.getFirst() : path(ClusterKeys.METADATA_LOG_DIR, dir);
    }

    public @Nullable String rack() {
        return values.find(ClusterKeys.BROKER_RACK);
    }

    public @Nullable String clusterId() {
        return values.find(MoldauKeys.CLUSTER_ID);
    }

    /// A setting or its default.
    public <T> T get(ConfigKey<T> key) {
        return values.get(key);
    }

    /// A setting, its default, or null.
    public <T> @Nullable T find(ConfigKey<T> key) {
        return values.find(key);
    }

    /// Whether somebody set the key, be it to its default.
    public boolean isSet(ConfigKey<?> key) {
        return values.isSet(key);
    }

    /// What was set, as it was written.
    public Map<String, String> texts() {
        return values.texts();
    }

    /// Settings whose value is not the default's and that have no effect here, each with the reason: for a warning at
    /// the start.
    public Map<String, String> withoutEffect() {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (String name : values.texts().keySet()) {
            KnownKey known = BrokerConfigKeys.find(name);
            if (known != null
                    && known.standing() instanceof Standing.Accepted(String reason)
                    && differs(values, known.key())) {
                reasons.put(name, reason);
            }
        }
        return reasons;
    }

    /// Kafka allows up to 22 characters; a cluster id of ours is a 128-bit number in base64.
    static String reasonAgainstClusterId(String value) {
        try {
            return Uuid.fromString(value).equals(Uuid.ZERO) ? "it must not be zero" : "";
        } catch (IllegalArgumentException e) {
            return "it must be 22 characters of URL-safe base64, such as 4L6g3nShT-eMCtK--X86sw";
        }
    }

    private static Map<String, String> brokerSettings(Map<String, String> settings) {
        Map<String, String> known = new LinkedHashMap<>();
        settings.forEach((name, value) -> {
            if (isForPlugin(name)) {
                // Naming the plug-in is what gets refused.
                return;
            }
            if (name.startsWith("listener.name.")) {
                throw new ConfigException("Configuration " + name
                        + ": settings of a single listener are not built yet. Remove it, or set the key without"
                        + " its prefix for all listeners.");
            }
            if (name.startsWith("config.providers.")) {
                throw new ConfigException(
                        "Configuration " + name + ": " + Reasons.PROVIDERS + " Write the value itself.");
            }
            known.put(name, value);
        });
        return known;
    }

    private static boolean isForPlugin(String name) {
        return AUTHORIZER_KEYS.contains(name) || name.startsWith("rsm.config.") || name.startsWith("rlmm.config.");
    }

    private static boolean isUnbuilt(String name) {
        return name.startsWith("listener.name.") || name.startsWith("config.providers.");
    }

    private static void refuseWhatIsNotBuilt(ConfigValues values) {
        for (Map.Entry<String, String> setting : values.texts().entrySet()) {
            KnownKey known = BrokerConfigKeys.find(setting.getKey());
            if (known != null
                    && known.standing() instanceof Standing.Later(String reason)
                    && differs(values, known.key())) {
                String shown = known.key().isSensitive() ? "[hidden]" : setting.getValue();
                throw new ConfigException("Configuration " + setting.getKey() + "=" + shown + " cannot be honoured: "
                        + reason + " Remove the setting.");
            }
        }
        String selector = values.find(ReplicationKeys.REPLICA_SELECTOR_CLASS);
        if (selector != null && !selector.isBlank() && !RACK_AWARE_SELECTORS.contains(selector)) {
            throw new ConfigException("Configuration replica.selector.class=" + selector + " cannot be honoured: "
                    + Reasons.PLUGIN + " Known without loading is " + RACK_AWARE_SELECTORS.getFirst() + ".");
        }
    }

    private static <T> boolean differs(ConfigValues values, ConfigKey<T> key) {
        @Nullable T value = values.find(key);
        if (value == null) {
            return false;
        }
        // An empty text asks for nothing.
        return !value.equals(key.defaultValue()) && !value.equals("") && !value.equals(List.of());
    }

    private static int nodeId(ConfigValues values) {
        int brokerId = values.get(ClusterKeys.BROKER_ID);
        if (brokerId < 0) {
            return values.get(ClusterKeys.NODE_ID);
        }
        if (values.isSet(ClusterKeys.NODE_ID) && values.get(ClusterKeys.NODE_ID) != brokerId) {
            throw new ConfigException("node.id=" + values.get(ClusterKeys.NODE_ID) + " and broker.id=" + brokerId
                    + " contradict each other. Remove broker.id.");
        }
        return brokerId;
    }

    private static Set<Role> roles(ConfigValues values) {
        List<String> names = values.get(ClusterKeys.PROCESS_ROLES);
        if (names.isEmpty()) {
            throw new ConfigException("process.roles is empty. It must be broker, controller, or broker,controller.");
        }
        Set<Role> roles = new LinkedHashSet<>();
        for (String name : names) {
            if (!roles.add(name.equals("broker") ? Role.BROKER : Role.CONTROLLER)) {
                throw new ConfigException("process.roles=" + String.join(",", names) + " names " + name + " twice.");
            }
        }
        return Set.copyOf(roles);
    }

    private List<Endpoint> checkedListeners() {
        List<Endpoint> all = Listeners.parse("listeners", values.get(NetworkKeys.LISTENERS), this::protocol);
        boolean given = values.isSet(NetworkKeys.LISTENERS);
        boolean anyOfController = all.stream().anyMatch(endpoint -> isControllerListener(endpoint.listenerName()));
        boolean anyOfBroker = all.stream().anyMatch(endpoint -> !isControllerListener(endpoint.listenerName()));
        List<Endpoint> used = new ArrayList<>(all);
        if (!given) {
            used.removeIf(endpoint -> isControllerListener(endpoint.listenerName()) ? !isController() : !isBroker());
        } else if (!isController() && anyOfController) {
            throw new ConfigException("listeners names " + names(all, true)
                    + ", a listener of controller.listener.names, but process.roles has no controller. Remove it from"
                    + " listeners.");
        } else if (!isBroker() && anyOfBroker) {
            throw new ConfigException("listeners names " + names(all, false)
                    + ", which is not in controller.listener.names, but process.roles has no broker. Remove it from"
                    + " listeners.");
        } else if (isController() && !anyOfController) {
            if (values.isSet(NetworkKeys.CONTROLLER_LISTENER_NAMES)
                    || !values.get(ClusterKeys.CONTROLLER_QUORUM_BOOTSTRAP_SERVERS)
                            .isEmpty()
                    || !values.get(ClusterKeys.CONTROLLER_QUORUM_VOTERS).isEmpty()) {
                throw new ConfigException(
                        "None of controller.listener.names=" + String.join(",", controllerListenerNames)
                                + " is in listeners. A controller needs one: add for example "
                                + controllerListenerNames.stream().findFirst().orElse("CONTROLLER") + "://:9093.");
            }
            // A quorum of this node alone: nobody has to know the port.
            String name = controllerListenerNames.iterator().next();
            used.add(new Endpoint(name, protocol(name), "127.0.0.1", 0));
        } else if (isBroker() && !anyOfBroker) {
            throw new ConfigException("Every name in listeners is in controller.listener.names, but process.roles has"
                    + " broker. Add a listener for clients, for example PLAINTEXT://:9092.");
        }
        return List.copyOf(used);
    }

    private String names(List<Endpoint> endpoints, boolean ofController) {
        return String.join(
                ", ",
                endpoints.stream()
                        .map(Endpoint::listenerName)
                        .filter(name -> isControllerListener(name) == ofController)
                        .toList());
    }

    private String protocol(String listenerName) {
        Map<String, String> map = protocolMap();
        String protocol = map.get(listenerName);
        if (protocol == null) {
            if (isControllerListener(listenerName) && !values.isSet(NetworkKeys.LISTENER_SECURITY_PROTOCOL_MAP)) {
                return "PLAINTEXT";
            }
            throw new ConfigException("Listener " + listenerName + " is not in listener.security.protocol.map. Add "
                    + listenerName + ":PLAINTEXT to it.");
        }
        if (!PLAINTEXT_ONLY.contains(protocol)) {
            throw new ConfigException("Listener " + listenerName + " has the security protocol " + protocol
                    + " by listener.security.protocol.map: "
                    + (protocol.startsWith("SASL") ? Reasons.SASL : Reasons.TLS) + " Use PLAINTEXT.");
        }
        return protocol;
    }

    private Map<String, String> protocolMap() {
        Map<String, String> map = new LinkedHashMap<>();
        String text = values.get(NetworkKeys.LISTENER_SECURITY_PROTOCOL_MAP);
        for (String pair : text.split(",", -1)) {
            if (pair.isBlank()) {
                continue;
            }
            int colon = pair.lastIndexOf(':');
            String name = colon < 0 ? "" : Listeners.normalize(pair.substring(0, colon));
            String protocol = colon < 0 ? "" : pair.substring(colon + 1).strip().toUpperCase(java.util.Locale.ROOT);
            if (name.isEmpty() || !PROTOCOLS.contains(protocol)) {
                throw new ConfigException(
                        "Invalid value " + text + " for configuration listener.security.protocol.map: '" + pair.strip()
                                + "' must be NAME:PROTOCOL with one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL");
            }
            if (map.put(name, protocol) != null) {
                throw new ConfigException("listener.security.protocol.map names " + name + " twice.");
            }
        }
        return map;
    }

    private @Nullable String checkedInterBrokerListener() {
        if (!isBroker()) {
            return null;
        }
        List<String> candidates = listeners.stream()
                .map(Endpoint::listenerName)
                .filter(name -> !isControllerListener(name))
                .toList();
        String given = values.find(NetworkKeys.INTER_BROKER_LISTENER_NAME);
        if (given != null && !given.isBlank()) {
            String name = Listeners.normalize(given);
            if (values.isSet(NetworkKeys.SECURITY_INTER_BROKER_PROTOCOL)) {
                throw new ConfigException("inter.broker.listener.name and security.inter.broker.protocol are both set."
                        + " Keep inter.broker.listener.name.");
            }
            if (isControllerListener(name)) {
                throw new ConfigException("inter.broker.listener.name=" + given
                        + " is also in controller.listener.names. Brokers need a listener of their own.");
            }
            if (!candidates.contains(name)) {
                throw new ConfigException("inter.broker.listener.name=" + given + " is not in listeners, which has "
                        + String.join(", ", candidates) + ".");
            }
            return name;
        }
        String protocol = values.get(NetworkKeys.SECURITY_INTER_BROKER_PROTOCOL);
        for (Endpoint listener : listeners) {
            if (!isControllerListener(listener.listenerName())
                    && listener.securityProtocol().equals(protocol)) {
                return listener.listenerName();
            }
        }
        throw new ConfigException("No listener in listeners has the security.inter.broker.protocol " + protocol
                + ". Set inter.broker.listener.name to one of " + String.join(", ", candidates) + ".");
    }

    private List<Endpoint> checkedAdvertisedListeners() {
        List<Endpoint> advertised = new ArrayList<>();
        List<String> given = values.find(NetworkKeys.ADVERTISED_LISTENERS);
        if (given != null) {
            advertised.addAll(Listeners.parse("advertised.listeners", given, this::protocol));
        }
        Set<String> names = new HashSet<>();
        for (Endpoint endpoint : advertised) {
            names.add(endpoint.listenerName());
            if (!isController() && isControllerListener(endpoint.listenerName())) {
                throw new ConfigException("advertised.listeners names " + endpoint.listenerName()
                        + ", a listener of controller.listener.names, but process.roles has no controller. Remove it"
                        + " from advertised.listeners.");
            }
            if (listeners.stream().noneMatch(l -> l.listenerName().equals(endpoint.listenerName()))) {
                throw new ConfigException("advertised.listeners names " + endpoint.listenerName()
                        + ", which is not in listeners. Add it there or remove it here.");
            }
            if (endpoint.host().equals("0.0.0.0") || endpoint.host().equals("::")) {
                throw new ConfigException("advertised.listeners has " + endpoint + ": nobody can connect to "
                        + endpoint.host() + ". Name the host clients can reach.");
            }
        }
        boolean brokerAdvertised = names.stream().anyMatch(name -> !isControllerListener(name));
        for (Endpoint listener : listeners) {
            // As in Kafka: once any listener for clients is advertised, the others are not, but controllers' are.
            boolean own = isControllerListener(listener.listenerName());
            if (!names.contains(listener.listenerName()) && (own || !brokerAdvertised)) {
                advertised.add(listener);
            }
        }
        if (interBrokerListenerName != null
                && advertised.stream().noneMatch(e -> e.listenerName().equals(interBrokerListenerName))) {
            throw new ConfigException("inter.broker.listener.name=" + interBrokerListenerName
                    + " is not in advertised.listeners. Other brokers could not find this one: add it.");
        }
        return List.copyOf(advertised);
    }

    private List<Voter> checkedVoters() {
        List<Voter> parsed = new ArrayList<>();
        List<String> texts = values.get(ClusterKeys.CONTROLLER_QUORUM_VOTERS);
        for (String text : texts) {
            parsed.add(Listeners.voter(text));
        }
        Set<Integer> ids = new HashSet<>();
        for (Voter voter : parsed) {
            if (!ids.add(voter.id())) {
                throw new ConfigException("controller.quorum.voters names voter " + voter.id() + " twice.");
            }
        }
        if (!parsed.isEmpty() && isController() && !ids.contains(nodeId)) {
            throw new ConfigException("process.roles has controller, but controller.quorum.voters="
                    + String.join(",", texts) + " does not name node.id=" + nodeId + ". Add " + nodeId
                    + "@host:port to it.");
        }
        if (!parsed.isEmpty() && !isController() && ids.contains(nodeId)) {
            throw new ConfigException("controller.quorum.voters=" + String.join(",", texts) + " names node.id=" + nodeId
                    + ", but process.roles has no controller. Give this node another node.id, or the role.");
        }
        return List.copyOf(parsed);
    }

    private List<HostPort> checkedBootstrapServers() {
        List<HostPort> servers = new ArrayList<>();
        for (String text : values.get(ClusterKeys.CONTROLLER_QUORUM_BOOTSTRAP_SERVERS)) {
            servers.add(Listeners.hostPort("controller.quorum.bootstrap.servers", text));
        }
        if (voters.isEmpty() && servers.isEmpty() && !isController()) {
            throw new ConfigException("process.roles has no controller, so this node must be told where the controllers"
                    + " are. Set controller.quorum.bootstrap.servers to host:port of some of them, or"
                    + " controller.quorum.voters to id@host:port of all.");
        }
        return List.copyOf(servers);
    }

    private List<Path> checkedLogDirs() {
        List<String> texts = values.find(LogKeys.LOG_DIRS);
        ConfigKey<?> key = LogKeys.LOG_DIRS;
        if (texts == null || texts.isEmpty()) {
            texts = values.get(LogKeys.LOG_DIR);
            key = LogKeys.LOG_DIR;
        }
        Set<Path> dirs = new LinkedHashSet<>();
        for (String text : texts) {
            if (text.isEmpty()) {
                throw new ConfigException(key + " has an empty entry.");
            }
            if (!dirs.add(path(key, text).toAbsolutePath().normalize())) {
                throw new ConfigException(key + " names " + text + " twice.");
            }
        }
        if (dirs.isEmpty()) {
            throw new ConfigException(key + " is empty. Name at least one directory.");
        }
        return List.copyOf(dirs);
    }

    private static Path path(ConfigKey<?> key, String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new ConfigException("Invalid value " + text + " for configuration " + key + ": " + e.getReason());
        }
    }

    /// Each of them throws if it does not hold.
    private List<Runnable> limits() {
        return List.of(
                () -> atMost(GroupKeys.GROUP_MIN_SESSION_TIMEOUT_MS, GroupKeys.GROUP_MAX_SESSION_TIMEOUT_MS),
                this::checkConsumerGroups,
                this::checkHeartbeats,
                this::checkRequestMemory,
                () -> atMost(LogKeys.LOG_CLEANER_MIN_COMPACTION_LAG_MS, LogKeys.LOG_CLEANER_MAX_COMPACTION_LAG_MS),
                () -> notZero(LogKeys.LOG_RETENTION_MS),
                () -> notZero(LogKeys.LOG_RETENTION_MINUTES),
                () -> notZero(LogKeys.LOG_RETENTION_HOURS));
    }

    private void checkConsumerGroups() {
        between(
                GroupKeys.GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS,
                GroupKeys.GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS,
                GroupKeys.GROUP_CONSUMER_MAX_HEARTBEAT_INTERVAL_MS);
        between(
                GroupKeys.GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS,
                GroupKeys.GROUP_CONSUMER_SESSION_TIMEOUT_MS,
                GroupKeys.GROUP_CONSUMER_MAX_SESSION_TIMEOUT_MS);
        between(
                GroupKeys.GROUP_CONSUMER_MIN_ASSIGNMENT_INTERVAL_MS,
                GroupKeys.GROUP_CONSUMER_ASSIGNMENT_INTERVAL_MS,
                GroupKeys.GROUP_CONSUMER_MAX_ASSIGNMENT_INTERVAL_MS);
        int heartbeat = values.get(GroupKeys.GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS);
        int session = values.get(GroupKeys.GROUP_CONSUMER_SESSION_TIMEOUT_MS);
        if (heartbeat >= session) {
            throw new ConfigException("group.consumer.heartbeat.interval.ms=" + heartbeat
                    + " is not less than group.consumer.session.timeout.ms=" + session
                    + ": members would be removed between two heartbeats. Lower the one or raise the other.");
        }
    }

    private <T extends Comparable<T>> void between(ConfigKey<T> lower, ConfigKey<T> middle, ConfigKey<T> upper) {
        atMost(lower, upper);
        atMost(lower, middle);
        atMost(middle, upper);
    }

    private void checkHeartbeats() {
        if (2L * values.get(ClusterKeys.BROKER_HEARTBEAT_INTERVAL_MS)
                > values.get(ClusterKeys.BROKER_SESSION_TIMEOUT_MS)) {
            throw new ConfigException("broker.session.timeout.ms=" + values.get(ClusterKeys.BROKER_SESSION_TIMEOUT_MS)
                    + " is less than twice broker.heartbeat.interval.ms="
                    + values.get(ClusterKeys.BROKER_HEARTBEAT_INTERVAL_MS)
                    + ": one late heartbeat would fence the broker. Raise the one or lower the other.");
        }
    }

    private void checkRequestMemory() {
        long queued = values.get(NetworkKeys.QUEUED_MAX_REQUEST_BYTES);
        if (queued > 0 && queued < values.get(NetworkKeys.SOCKET_REQUEST_MAX_BYTES)) {
            throw new ConfigException("queued.max.request.bytes=" + queued + " is less than socket.request.max.bytes="
                    + values.get(NetworkKeys.SOCKET_REQUEST_MAX_BYTES)
                    + ": the largest request could never be read. Raise the one or lower the other.");
        }
    }

    private <T extends Comparable<T>> void atMost(ConfigKey<T> lower, ConfigKey<T> upper) {
        if (values.get(lower).compareTo(values.get(upper)) > 0) {
            throw new ConfigException(lower + "=" + values.get(lower) + " is greater than " + upper + "="
                    + values.get(upper) + ". Lower the one or raise the other.");
        }
    }

    private void notZero(ConfigKey<? extends Number> key) {
        Number value = values.find(key);
        if (value != null && (value.longValue() == 0 || value.longValue() < -1)) {
            throw new ConfigException("Invalid value " + value + " for configuration " + key
                    + ": it must be -1 (for ever) or at least 1.");
        }
    }
}
