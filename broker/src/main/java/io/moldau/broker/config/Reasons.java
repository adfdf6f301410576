package io.moldau.broker.config;

/// Why keys have no effect here, or none yet.
final class Reasons {

    static final String RATIS = "Apache Ratis keeps the metadata log, with settings of its own.";

    static final String OBSERVE = "Moldau has metrics of its own, without plug-ins.";

    static final String CHANNEL = "Brokers ask the controller; it opens no connections to them.";

    static final String UNSTABLE = "Moldau offers final versions only.";

    static final String NO_AUTHORIZER = "There is no authorizer to wait for.";

    static final String SASL = "Authentication (SASL) is not built yet.";

    static final String RATE = "Limiting the rate of new connections is not built yet.";

    static final String NO_HANDOFF = "The event loop that read a request also answers it; see num.network.threads.";

    static final String PLUGIN = "Moldau loads no classes of others into its process.";

    static final String FENCED_BY_THEN =
            "A broker whose heartbeats do not arrive, and so do not tell of a failed directory, is fenced before that.";

    static final String AT_ONCE = "A leader is chosen whenever a broker or a setting changes.";

    static final String WHEEL = "Waiting requests leave their list when they end; nothing has to be swept.";

    static final String KERNEL = "The buffers of sockets between nodes are left to the kernel, which tunes them.";

    static final String TIERED = "Tiered storage is not built yet.";

    static final String COORDINATOR = "Group coordinators run on threads the node has anyway and write at once.";

    static final String PROTOCOLS = "The protocols offered follow from the finalized features.";

    static final String OFFLOAD = "Assignments take milliseconds and are computed where their group is.";

    static final String SHARE = "Share groups are not built yet.";

    static final String STREAMS = "Streams groups are not built yet.";

    static final String TXN = "Transactions are not built yet.";

    static final String QUOTA = "Quotas are not built yet.";

    static final String ACL =
            "Authorization is not built yet: a node that is told to check access must not start without it.";

    static final String TOKEN = "Delegation tokens are not built yet.";

    static final String PROVIDERS = "Filling in settings from providers is not built yet.";

    static final String TLS = "TLS is not built yet.";

    static final String BOUNDED =
            "Requests in progress are bounded for each connection, and by queued.max.request.bytes for the node.";

    static final String UNPACKED = "The log bounds what a batch may unfold to by itself.";

    static final String STARTUP = "The start is limited by initial.broker.registration.timeout.ms.";

    static final String PEERS = "Requests between nodes have time limits of their own.";

    static final String STARTS = "A log start offset is written when it moves.";

    static final String STARTS2 = "Background tasks of the log begin at once; the first run finds nothing to do.";

    static final String TELEMETRY = "Client telemetry is not built yet.";

    private Reasons() {}
}
