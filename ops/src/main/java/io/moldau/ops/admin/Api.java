package io.moldau.ops.admin;

import io.moldau.broker.NodeView;
import io.moldau.ops.metrics.LiveRates;
import io.moldau.ops.state.BrokerCalls;
import io.moldau.ops.state.ClusterGroups;
import io.moldau.ops.state.ClusterPicture;
import io.moldau.ops.state.LeaderReads;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What the admin listener answers once there is a node; `openapi.json` describes it. Thread-safe.
final class Api {

    static final String LIVE = "/live";
    static final String READY = "/ready";
    static final String METRICS = "/metrics";
    static final String DESCRIPTION = "/api/openapi.json";

    private static final String SAFE_TO_STOP = "/safe-to-stop";
    private static final Set<String> OPEN = Set.of(LIVE, READY, SAFE_TO_STOP, METRICS, DESCRIPTION);

    private static final int USUAL_TOPICS = 1_000;
    private static final int MOST_TOPICS = 10_000;
    private static final int USUAL_PARTITIONS = 200;
    private static final int MOST_PARTITIONS = 2_000;

    /// The answer is a no: status 503, so that those who only look at the status know.
    record Not(Object answer) {}

    private final Routes routes = new Routes();

    /// @param calls how the node asks others
    Api(NodeView node, BrokerCalls calls, LiveRates rates, String version) {
        NodeView.Broker broker = node.broker();
        var leaders = new LeaderReads(node, calls);
        var observation = new Observation(node, leaders, version);
        var groups = new GroupAnswers(broker == null ? null : new ClusterGroups(node, broker, calls));
        var why = new WhyAnswers(node, observation, groups, new ClusterPicture(node, calls), leaders);
        var configs = new ConfigAnswers(node);
        var records = new RecordAnswers(node, leaders);
        routes.add(READY, asked -> {
                    Answers.Ready ready = observation.ready();
                    return ready.ready() ? ready : new Not(ready);
                })
                .add(SAFE_TO_STOP, asked -> {
                    Answers.Safe safe = observation.safeToStop();
                    return safe.safeToStop() ? safe : new Not(safe);
                })
                .add("/api/v1/cluster", asked -> observation.cluster())
                .add("/api/v1/findings", asked -> why.cluster())
                .add("/api/v1/rates", asked -> rates.rates())
                .add("/api/v1/quorum", asked -> answered(observation.quorum()))
                .add("/api/v1/brokers", asked -> observation.brokers())
                .add("/api/v1/brokers/{broker}/configs", asked -> configs.ofBroker(asked.numberNamed("broker")))
                .add("/api/v1/brokers/{broker}/why", asked -> why.broker(asked.numberNamed("broker")))
                .add("/api/v1/topics", asked -> {
                    asked.only("name", "limit");
                    String part = asked.text("name");
                    return observation.topics(
                            part == null ? "" : part, asked.number("limit", USUAL_TOPICS, 1, MOST_TOPICS));
                })
                .add("/api/v1/topics/{topic}", asked -> {
                    asked.only("from", "limit");
                    return observation.topic(
                            asked.named("topic"),
                            asked.number("from", 0, 0, Integer.MAX_VALUE),
                            asked.number("limit", USUAL_PARTITIONS, 1, MOST_PARTITIONS));
                })
                .add(
                        "/api/v1/topics/{topic}/configs",
                        asked -> configs.ofTopic(
                                observation.existing(asked.named("topic")).name()))
                .add(
                        "/api/v1/topics/{topic}/find",
                        asked -> records.find(observation.existing(asked.named("topic")), asked))
                .add(
                        "/api/v1/topics/{topic}/partitions/{partition}/records",
                        asked -> records.page(observation.existing(asked.named("topic")), asked))
                .add(
                        "/api/v1/topics/{topic}/partitions/{partition}/why",
                        asked -> why.partition(
                                observation.existing(asked.named("topic")), asked.numberNamed("partition")))
                .add("/api/v1/groups", asked -> groups.list())
                .add("/api/v1/groups/{group}", asked -> groups.one(asked.named("group")))
                .add("/api/v1/groups/{group}/why", asked -> why.group(asked.named("group")));
    }

    private static Object answered(Answers.@Nullable QuorumAnswer quorum) {
        if (quorum == null) {
            throw new Refusal(503, "the metadata quorum has no leader that answers");
        }
        return quorum;
    }

    /// Whether everybody who reaches the port may see it.
    static boolean isOpen(String path) {
        return OPEN.contains(path);
    }

    List<String> templates() {
        return routes.templates();
    }

    /// What becomes JSON, or [Not].
    ///
    /// @param rawPath still encoded
    /// @param rawQuery the same; null if there is none
    /// @throws Refusal if there is no answer
    Object answer(String rawPath, @Nullable String rawQuery) {
        Routes.Match match = routes.find(rawPath, rawQuery);
        if (match == null) {
            throw new Refusal(404, "there is nothing at " + rawPath + "; " + DESCRIPTION + " says what there is");
        }
        return match.handler().answer(match.parameters());
    }
}
