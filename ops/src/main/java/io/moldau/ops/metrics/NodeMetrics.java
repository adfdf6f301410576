package io.moldau.ops.metrics;

import io.moldau.broker.NodeServices;
import io.moldau.broker.NodeView;
import io.moldau.broker.config.MoldauKeys;
import io.moldau.broker.config.NodeConfig;
import io.moldau.ops.state.GroupLags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The metrics of one node. Counts from before the node starts; can be scraped once it is there. Thread-safe.
public final class NodeMetrics implements AutoCloseable {

    private final NodeConfig config;
    private final String version;
    private final RequestRecorder requests = new RequestRecorder();
    private final TrafficRecorder traffic;
    private final LogRecorder logs = new LogRecorder();
    private final QuorumRecorder quorum;
    private final CoordinatorRecorder coordinators = new CoordinatorRecorder();
    private final TransactionRecorder transactions = new TransactionRecorder();
    private final PartitionRecorder partitions;
    private final NodeServices services;
    private final LiveRates rates;
    private final AtomicReference<@Nullable NodeView> node = new AtomicReference<>();
    private final AtomicReference<Map<String, Boolean>> reached = new AtomicReference<>(Map.of());
    private @Nullable PrometheusEndpoint endpoint;
    private @Nullable GroupLags lags;

    /// @param services those the node would have without metrics
    /// @param version of this build
    public NodeMetrics(NodeConfig config, NodeServices services, String version) {
        this.config = config;
        this.version = version;
        this.traffic = new TrafficRecorder(config.get(MoldauKeys.METRICS_TOPICS), this::hasTopic);
        this.quorum = new QuorumRecorder();
        this.partitions = new PartitionRecorder(config.nodeId());
        this.rates = new LiveRates(
                () -> new LiveRates.Counters(traffic.counted(), requests.counted(), requests.connections()),
                services.time());
        this.services = services.withMeters(
                new NodeServices.Meters(requests, logs, quorum, quorum, coordinators, transactions, traffic),
                List.of(partitions));
    }

    /// What the node is to be started with.
    public NodeServices services() {
        return services;
    }

    /// The node is there: from now on there are scrapes.
    ///
    /// @param groupLags null if the node is no broker
    public synchronized void observe(NodeView view, @Nullable GroupLags groupLags) {
        lags = groupLags;
        node.set(view);
    }

    /// Tells which of its advertised listeners the node reached, and found itself there.
    ///
    /// @param verdicts by listener, null where it did
    public void dialled(Map<String, ? extends @Nullable Object> verdicts) {
        Map<String, Boolean> now = new LinkedHashMap<>();
        verdicts.forEach((listener, problem) -> now.put(listener, problem == null));
        reached.set(now);
    }

    private boolean hasTopic(String name) {
        NodeView view = node.get();
        return view == null || view.image().get().topics().topic(name) != null;
    }

    /// All metrics as they are now.
    ///
    /// @throws IllegalStateException before there is a node
    public Exposition scrape() {
        return endpoint().scrape();
    }

    /// What goes through the node now. Thread-safe.
    public LiveRates rates() {
        return rates;
    }

    private synchronized PrometheusEndpoint endpoint() {
        PrometheusEndpoint made = endpoint;
        if (made == null) {
            made = new PrometheusEndpoint(sources(), services.time());
            endpoint = made;
        }
        return made;
    }

    private List<MetricSource> sources() {
        NodeView view = node.get();
        if (view == null) {
            throw new IllegalStateException("the node is starting");
        }
        List<MetricSource> sources = new ArrayList<>(
                List.of(new ClusterSource(view, version, reached::get), new ProcessSource(), requests, quorum));
        NodeView.Broker broker = view.broker();
        if (broker != null) {
            sources.add(traffic);
            sources.add(logs);
            sources.add(partitions);
            sources.add(coordinators);
            sources.add(transactions);
            sources.add(new TransactionSource(broker.transactions()));
            sources.add(new ReplicaSource(view, broker, config.get(MoldauKeys.METRICS_PARTITIONS)));
        }
        GroupLags of = lags;
        if (of != null) {
            sources.add(new GroupSource(of::report));
        }
        return sources;
    }

    @Override
    public synchronized void close() {
        if (endpoint != null) {
            endpoint.close();
        }
    }
}
