package io.moldau.ops.chaos;

import io.moldau.ops.chaos.check.Findings;
import io.moldau.ops.chaos.check.ReadBack;
import io.moldau.ops.chaos.check.ReplicaFiles;
import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.NodeHandle;
import io.moldau.ops.chaos.load.Companion;
import io.moldau.ops.chaos.load.History;
import io.moldau.ops.chaos.load.JavaLoad;
import io.moldau.ops.chaos.load.LibrdkafkaLoad;
import io.moldau.ops.chaos.load.LiveReader;
import io.moldau.ops.chaos.load.Load;
import io.moldau.ops.chaos.load.LoadPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;

/// Clients at work on a cluster, faults one after the other, and the verdict at the end. One thread.
public final class ChaosRun implements AutoCloseable {

    public static final String TOPIC = "chaos";

    private static final int VALUE_SIZE = 100;
    private static final Duration RECOVERY = Duration.ofSeconds(120);
    private static final List<String> WATCHED = List.of(TOPIC, "__consumer_offsets");

    private final ClusterProcesses cluster;
    private final RunSettings settings;
    private final History history = new History();
    private final List<Load> loads = new ArrayList<>();
    private final LiveReader reader;
    private final List<Round> rounds = new ArrayList<>();
    private final List<Companion> companions = new ArrayList<>();
    private int streams;

    /// Makes the topic, starts the clients and waits until each has been served in every partition.
    public ChaosRun(ClusterProcesses cluster, RunSettings settings) throws Exception {
        this.cluster = cluster;
        this.settings = settings;
        System.out.printf("chaos: %s, %s, seed %d%n", settings.scenario(), cluster.subject(), settings.seed());
        cluster.view().createTopic(TOPIC, settings.partitions(), Map.of("min.insync.replicas", "2"));
        cluster.await(
                "all partitions to have leaders", RECOVERY, () -> cluster.view().allInSync(List.of(TOPIC)));
        reader = new LiveReader(cluster.bootstrap(), TOPIC, "chaos-reader", history);
        try {
            startLoads();
            awaitFresh(System.nanoTime());
            cluster.await(
                    "all replicas to be in sync", RECOVERY, () -> cluster.view().allInSync(WATCHED));
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private void startLoads() {
        for (int i = 1; i <= settings.javaProducers(); i++) {
            loads.add(new JavaLoad(loadPlan(i), history));
        }
        for (int i = 1; i <= settings.librdkafkaProducers(); i++) {
            LibrdkafkaLoad.start(loadPlan(settings.javaProducers() + i), history)
                    .ifPresent(loads::add);
        }
        streams = loads.size() * settings.partitions();
    }

    private LoadPlan loadPlan(int producer) {
        return new LoadPlan(
                cluster.bootstrap(), TOPIC, settings.partitions(), producer, settings.perSecond(), VALUE_SIZE);
    }

    /// Further clients: a round waits for them too, and their topic's replicas are compared as well.
    public void add(Companion companion) {
        companions.add(companion);
        companions.forEach(it -> it.awaitFresh(System.nanoTime()));
        awaitInSync();
    }

    public ClusterProcesses cluster() {
        return cluster;
    }

    public History history() {
        return history;
    }

    /// Lets a fault happen, and returns when nothing of it is left: all clients served and all replicas in sync.
    public Round round(Fault fault) throws Exception {
        history.takeGaps();
        long began = System.nanoTime();
        fault.begin().run();
        History.Gaps during;
        if (fault.survivable()) {
            awaitFresh(began);
            during = history.takeGaps();
            passRest(fault, began);
            fault.end().run();
        } else {
            passRest(fault, began);
            fault.end().run();
            awaitFresh(System.nanoTime());
            during = history.takeGaps();
        }
        long ended = System.nanoTime();
        awaitInSync();
        var inSync = Duration.ofNanos(System.nanoTime() - ended);
        spreadLeaders();
        awaitFresh(System.nanoTime());
        var round = new Round(fault.what(), during, history.takeGaps(), inSync);
        rounds.add(round);
        System.out.printf("chaos: round %d, %s%n", rounds.size(), round);
        return round;
    }

    private static void passRest(Fault fault, long began) {
        Await.pass(fault.lasts().minusNanos(System.nanoTime() - began));
    }

    /// Until every client has had an acknowledgement in every partition for something it sent after the moment.
    public void awaitFresh(long sinceNanos) {
        Await.until(
                "every client to be served in every partition",
                RECOVERY,
                () -> history.streamCount() == streams && history.staleSince(sinceNanos) == 0,
                () -> history.staleSince(sinceNanos) + " of " + streams + " streams wait; failures "
                        + history.failures() + "\n" + String.join("\n", history.waitingSince(sinceNanos)) + "\n"
                        + cluster.words());
        companions.forEach(it -> it.awaitFresh(sinceNanos));
    }

    public void awaitInSync() {
        var watched = new ArrayList<>(WATCHED);
        companions.forEach(it -> watched.addAll(it.topics()));
        cluster.await(
                "all replicas to be in sync", RECOVERY, () -> cluster.view().allInSync(watched));
    }

    private void spreadLeaders() {
        cluster.await("preferred leaders", RECOVERY, () -> {
            cluster.view().electPreferred(TOPIC);
            return true;
        });
    }

    /// Stops the clients, reads everything back, stops the nodes, compares their files, and prints the report.
    public Report finish() throws Exception {
        for (var load : loads) {
            load.finish();
        }
        awaitInSync();
        var ends = new HashMap<TopicPartition, Long>();
        for (var companion : companions) {
            ends.putAll(companion.finish());
        }
        long settled = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        var readBack = new ReadBack(cluster.bootstrap(), TOPIC);
        while (reader.records() < history.acknowledgedCount() && System.nanoTime() < settled) {
            Await.pass(Duration.ofMillis(100));
        }
        reader.finish();
        var findings = readBack.check(settings.partitions(), history, reader)
                .plus(committedOffsets())
                .plus(replicas(readBack.ends(), ends));
        var report = new Report(
                cluster.subject(), settings, List.copyOf(rounds), findings, history.failedCount(), history.failures());
        System.out.println(report);
        if (!report.clean()) {
            System.out.println(report.problems());
        }
        return report;
    }

    /// What the coordinator promised to keep, and what it says now.
    private Findings committedOffsets() {
        var promised = reader.committed();
        var examples = new ArrayList<String>();
        long back = reader.offsetsBack();
        try {
            var kept = cluster.view()
                    .admin()
                    .listConsumerGroupOffsets(reader.group())
                    .partitionsToOffsetAndMetadata()
                    .get(60, TimeUnit.SECONDS);
            for (Map.Entry<TopicPartition, Long> promise : promised.entrySet()) {
                var now = kept.get(promise.getKey());
                if (now == null || now.offset() < promise.getValue()) {
                    back++;
                    examples.add("the group's offset of " + promise.getKey() + " was " + promise.getValue() + " and is "
                            + now);
                }
            }
        } catch (Exception e) {
            back++;
            examples.add("the group's offsets could not be asked for: " + e);
        }
        return new Findings(0, 0, 0, 0, 0, 0, 0, 0, back, 0, examples);
    }

    private Findings replicas(Map<Integer, Long> ends, Map<TopicPartition, Long> others) throws IOException {
        cluster.nodes().forEach(NodeHandle::kill);
        var folders = new HashMap<Integer, Path>();
        cluster.brokers().forEach(node -> folders.put(node.id(), node.plan().data()));
        var byTopic = new TreeMap<String, Map<Integer, Long>>();
        byTopic.put(TOPIC, ends);
        others.forEach((at, end) ->
                byTopic.computeIfAbsent(at.topic(), topic -> new HashMap<>()).put(at.partition(), end));
        var differences = new ArrayList<String>();
        for (var topic : byTopic.entrySet()) {
            differences.addAll(ReplicaFiles.compare(topic.getKey(), folders, topic.getValue(), 3));
        }
        return new Findings(0, 0, 0, 0, 0, 0, 0, 0, 0, differences.size(), differences);
    }

    @Override
    public void close() {
        companions.forEach(Companion::close);
        loads.forEach(Load::close);
        reader.close();
    }
}
