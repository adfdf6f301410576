package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.HIGH;
import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about listeners, connections and threads.
public final class NetworkKeys {

    public static final ConfigKey<List<String>> LISTENERS = ConfigKey.of("listeners", ConfigType.list())
            .defaultTo(List.of("PLAINTEXT://localhost:9092", "CONTROLLER://127.0.0.1:9093"))
            .importance(HIGH)
            .describedAs("Where the node listens, each as `NAME://host:port`. An empty host means every interface, "
                    + "port 0 a free one.");

    public static final ConfigKey<List<String>> ADVERTISED_LISTENERS = ConfigKey.of(
                    "advertised.listeners", ConfigType.list())
            .importance(HIGH)
            .describedAs("The addresses clients and other brokers are told to connect to. Unset, those of "
                    + "`listeners`.");

    public static final ConfigKey<String> LISTENER_SECURITY_PROTOCOL_MAP = ConfigKey.of(
                    "listener.security.protocol.map", ConfigType.string())
            .defaultTo("PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL")
            .importance(LOW)
            .describedAs("Which security protocol each listener name speaks, as `NAME:PROTOCOL`.");

    public static final ConfigKey<String> INTER_BROKER_LISTENER_NAME = ConfigKey.of(
                    "inter.broker.listener.name", ConfigType.string())
            .describedAs("The listener brokers use among themselves.");

    public static final ConfigKey<String> SECURITY_INTER_BROKER_PROTOCOL = ConfigKey.of(
                    "security.inter.broker.protocol",
                    ConfigType.oneOf("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"))
            .defaultTo("PLAINTEXT")
            .describedAs("Security protocol among brokers; used to find the listener when "
                    + "`inter.broker.listener.name` is not set.");

    public static final ConfigKey<List<String>> CONTROLLER_LISTENER_NAMES = ConfigKey.of(
                    "controller.listener.names", ConfigType.list())
            .defaultTo(List.of("CONTROLLER"))
            .importance(HIGH)
            .describedAs("Names of the listeners that belong to the controller.");

    public static final ConfigKey<Long> CONNECTIONS_MAX_IDLE_MS = ConfigKey.of(
                    "connections.max.idle.ms", ConfigType.anyLong())
            .defaultTo(600_000L)
            .describedAs("A connection without a request for this long is closed.");

    public static final ConfigKey<Integer> MAX_CONNECTIONS = ConfigKey.of("max.connections", ConfigType.intAtLeast(0))
            .defaultTo(Integer.MAX_VALUE)
            .describedAs("Most connections a broker accepts at a time.");

    public static final ConfigKey<Integer> MAX_CONNECTIONS_PER_IP = ConfigKey.of(
                    "max.connections.per.ip", ConfigType.intAtLeast(0))
            .defaultTo(Integer.MAX_VALUE)
            .describedAs("Most connections accepted from one address.");

    public static final ConfigKey<String> MAX_CONNECTIONS_PER_IP_OVERRIDES = ConfigKey.of(
                    "max.connections.per.ip.overrides", ConfigType.string())
            .defaultTo("")
            .describedAs("Exceptions to `max.connections.per.ip`, each as `address:count`.");

    public static final ConfigKey<Integer> NUM_NETWORK_THREADS = ConfigKey.of(
                    "num.network.threads", ConfigType.intAtLeast(1))
            .defaultTo(3)
            .importance(HIGH)
            .describedAs(
                    "Number of event loops that read, handle and answer requests; unset, one per processor " + "core.");

    public static final ConfigKey<Integer> BACKGROUND_THREADS = ConfigKey.of(
                    "background.threads", ConfigType.intAtLeast(1))
            .defaultTo(10)
            .importance(HIGH)
            .describedAs("Number of threads for retention, flushing and other work in the background.");

    public static final ConfigKey<Long> QUEUED_MAX_REQUEST_BYTES = ConfigKey.of(
                    "queued.max.request.bytes", ConfigType.anyLong())
            .defaultTo(-1L)
            .describedAs("Most bytes of requests in progress before the node stops reading; -1 derives it from the "
                    + "memory the node has.");

    public static final ConfigKey<Integer> SOCKET_LISTEN_BACKLOG_SIZE = ConfigKey.of(
                    "socket.listen.backlog.size", ConfigType.intAtLeast(1))
            .defaultTo(50)
            .describedAs("Most connections the kernel keeps waiting to be accepted.");

    public static final ConfigKey<Integer> SOCKET_RECEIVE_BUFFER_BYTES = ConfigKey.of(
                    "socket.receive.buffer.bytes", ConfigType.anyInt())
            .defaultTo(-1)
            .importance(HIGH)
            .describedAs("Size of a server socket's receive buffer (SO_RCVBUF); -1 leaves it to the operating "
                    + "system, which fits it to the connection.");

    public static final ConfigKey<Integer> SOCKET_REQUEST_MAX_BYTES = ConfigKey.of(
                    "socket.request.max.bytes", ConfigType.intAtLeast(1))
            .defaultTo(104_857_600)
            .importance(HIGH)
            .describedAs("Largest request accepted; a bigger one closes its connection.");

    public static final ConfigKey<Integer> SOCKET_SEND_BUFFER_BYTES = ConfigKey.of(
                    "socket.send.buffer.bytes", ConfigType.anyInt())
            .defaultTo(-1)
            .importance(HIGH)
            .describedAs("Size of a server socket's send buffer (SO_SNDBUF); -1 leaves it to the operating system, "
                    + "which fits it to the connection.");

    public static final ConfigKey<Integer> MAX_REQUEST_PARTITION_SIZE_LIMIT = ConfigKey.of(
                    "max.request.partition.size.limit", ConfigType.intAtLeast(1))
            .defaultTo(2000)
            .describedAs("Most partitions one answer to DescribeTopicPartitions names.");

    public static final ConfigKey<Integer> REQUEST_TIMEOUT_MS = ConfigKey.of("request.timeout.ms", ConfigType.anyInt())
            .defaultTo(30_000)
            .importance(HIGH)
            .describedAs("How long a request of this node to another waits for its answer, and a transaction's end for "
                    + "its replication.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.used(LISTENERS),
            KnownKey.used(ADVERTISED_LISTENERS),
            KnownKey.used(LISTENER_SECURITY_PROTOCOL_MAP),
            KnownKey.used(INTER_BROKER_LISTENER_NAME),
            KnownKey.used(SECURITY_INTER_BROKER_PROTOCOL),
            KnownKey.used(CONTROLLER_LISTENER_NAMES),
            KnownKey.accepted(
                    ConfigKey.of("early.start.listeners", ConfigType.list())
                            .importance(HIGH)
                            .describedAs("Listeners that open before the authorizer is ready."),
                    Reasons.NO_AUTHORIZER),
            KnownKey.used(CONNECTIONS_MAX_IDLE_MS),
            KnownKey.accepted(
                    ConfigKey.of("connection.failed.authentication.delay.ms", ConfigType.intAtLeast(0))
                            .defaultTo(100)
                            .importance(LOW)
                            .describedAs("Delay before a connection that failed to authenticate is closed."),
                    Reasons.SASL),
            KnownKey.used(MAX_CONNECTIONS),
            KnownKey.used(MAX_CONNECTIONS_PER_IP),
            KnownKey.used(MAX_CONNECTIONS_PER_IP_OVERRIDES),
            KnownKey.later(
                            ConfigKey.of("max.connection.creation.rate", ConfigType.intAtLeast(0))
                                    .defaultTo(Integer.MAX_VALUE)
                                    .describedAs("Most new connections a broker accepts per second."),
                            Reasons.RATE)
                    .clusterWide(),
            KnownKey.used(NUM_NETWORK_THREADS),
            KnownKey.accepted(
                            ConfigKey.of("num.io.threads", ConfigType.intAtLeast(1))
                                    .defaultTo(8)
                                    .importance(HIGH)
                                    .describedAs("Number of threads that handle requests in the reference."),
                            Reasons.NO_HANDOFF)
                    .clusterWide(),
            KnownKey.used(BACKGROUND_THREADS),
            KnownKey.accepted(
                    ConfigKey.of("queued.max.requests", ConfigType.intAtLeast(1))
                            .defaultTo(500)
                            .importance(HIGH)
                            .describedAs(
                                    "Most requests that may be in progress before the node stops reading from its connections."),
                    Reasons.BOUNDED),
            KnownKey.used(QUEUED_MAX_REQUEST_BYTES),
            KnownKey.used(REQUEST_TIMEOUT_MS),
            KnownKey.accepted(
                    ConfigKey.of("socket.connection.setup.timeout.max.ms", ConfigType.anyLong())
                            .defaultTo(30_000L)
                            .describedAs(
                                    "Upper bound of the growing time a connection to another node may take to come up."),
                    Reasons.PEERS),
            KnownKey.accepted(
                    ConfigKey.of("socket.connection.setup.timeout.ms", ConfigType.anyLong())
                            .defaultTo(10_000L)
                            .describedAs("How long a connection to another node may take to come up at the first try."),
                    Reasons.PEERS),
            KnownKey.used(SOCKET_LISTEN_BACKLOG_SIZE),
            KnownKey.used(SOCKET_RECEIVE_BUFFER_BYTES),
            KnownKey.used(SOCKET_REQUEST_MAX_BYTES),
            KnownKey.used(SOCKET_SEND_BUFFER_BYTES),
            KnownKey.used(MAX_REQUEST_PARTITION_SIZE_LIMIT));

    private NetworkKeys() {}
}
