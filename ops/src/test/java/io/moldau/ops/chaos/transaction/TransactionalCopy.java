package io.moldau.ops.chaos.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.load.Companion;
import io.moldau.ops.clients.ClientTools;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.opentest4j.TestAbortedException;

/// Copies a topic in transactions. Every transactional id has some of the partitions, and two copiers that fight for
/// it. The test's thread.
public final class TransactionalCopy implements Companion {

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final ClusterProcesses cluster;
    private final String from;
    private final String to;
    private final int partitions;
    private final List<Lane> lanes = new ArrayList<>();

    /// One transactional id.
    private record Lane(
            String transactionalId, String group, List<Integer> partitions, CopyCounts counts, List<Copier> copiers) {}

    /// Makes the topic and starts the copiers.
    ///
    /// @param ids how many transactional ids; one copier of the second is librdkafka's, where that is installed
    public TransactionalCopy(ClusterProcesses cluster, String from, int partitions, int ids, long seed)
            throws Exception {
        this.cluster = cluster;
        this.from = from;
        this.partitions = partitions;
        to = from + "-copy";
        cluster.view().createTopic(to, partitions, Map.of("min.insync.replicas", "2"));
        for (int i = 0; i < ids; i++) {
            int lane = i;
            var own = IntStream.range(0, partitions)
                    .filter(it -> it % ids == lane)
                    .boxed()
                    .toList();
            var started = new Lane("copy-" + lane, "copy-group-" + lane, own, new CopyCounts(), new ArrayList<>());
            lanes.add(started);
            start(started, seed * 31 + lane, lane == 1);
        }
    }

    private void start(Lane lane, long seed, boolean mixed) {
        var plan = new CopyPlan(
                cluster.bootstrap(), from, to, lane.transactionalId(), lane.group(), lane.partitions(), seed);
        lane.copiers().add(new JavaCopier(plan, lane.counts()));
        var rival = new CopyPlan(
                cluster.bootstrap(), from, to, lane.transactionalId(), lane.group(), lane.partitions(), ~seed);
        if (mixed) {
            try {
                lane.copiers().add(new LibrdkafkaCopier(ClientTools.python("confluent_kafka"), rival, lane.counts()));
                return;
            } catch (TestAbortedException e) {
                System.out.println("copy: without librdkafka, " + e.getMessage());
            }
        }
        lane.copiers().add(new JavaCopier(rival, lane.counts()));
    }

    public List<String> transactionalIds() {
        return lanes.stream().map(Lane::transactionalId).toList();
    }

    public List<String> groups() {
        return lanes.stream().map(Lane::group).toList();
    }

    @Override
    public List<String> topics() {
        return List.of(to, "__transaction_state");
    }

    @Override
    public void awaitFresh(long sinceNanos) {
        Await.until(
                "every transactional id to commit",
                PATIENCE,
                () -> lanes.stream().allMatch(it -> it.counts().freshSince(sinceNanos)),
                () -> this + "\n" + cluster.words());
    }

    @Override
    public Map<TopicPartition, Long> finish() throws Exception {
        var input = TopicContents.read(cluster.bootstrap(), of(from), "read_uncommitted");
        for (var lane : lanes) {
            cluster.await("everything to be copied by " + lane.transactionalId(), PATIENCE, () -> copied(lane, input));
        }
        for (var lane : lanes) {
            for (var copier : lane.copiers()) {
                copier.finish();
            }
        }
        TopicContents.awaitStable(cluster.bootstrap(), of(to), PATIENCE);
        var output = TopicContents.read(cluster.bootstrap(), of(to), "read_committed");
        var everything = TopicContents.read(cluster.bootstrap(), of(to), "read_uncommitted");
        long committed =
                output.records().values().stream().mapToLong(List::size).sum();
        long written =
                everything.records().values().stream().mapToLong(List::size).sum();
        System.out.printf("COPY %s, %d records, %d aborted ones%n", this, committed, written - committed);
        var problems = new ArrayList<String>();
        for (int partition = 0; partition < partitions; partition++) {
            problems.addAll(CopyCheck.differences(
                    "partition " + partition, values(input, partition), values(output, partition)));
        }
        assertThat(problems).as("%s", this).isEmpty();
        assertThat(written).as("read_uncommitted shows aborted records").isGreaterThan(committed);
        awaitNoTransactions();
        return output.ends();
    }

    private boolean copied(Lane lane, TopicContents input) throws Exception {
        var offsets = cluster.view()
                .admin()
                .listConsumerGroupOffsets(lane.group(), new ListConsumerGroupOffsetsOptions().requireStable(true))
                .partitionsToOffsetAndMetadata()
                .get();
        return lane.partitions().stream()
                .map(it -> new TopicPartition(from, it))
                .allMatch(it -> {
                    var offset = offsets.get(it);
                    return offset != null
                            && offset.offset()
                                    == Objects.requireNonNull(input.ends().get(it));
                });
    }

    /// The coordinators know of none that goes on.
    private void awaitNoTransactions() {
        cluster.await(
                "all transactions to have ended",
                PATIENCE,
                () -> cluster.view().admin().listTransactions().all().get().stream()
                        .allMatch(it -> it.state() == TransactionState.COMPLETE_COMMIT
                                || it.state() == TransactionState.COMPLETE_ABORT
                                || it.state() == TransactionState.EMPTY));
    }

    private List<TopicPartition> of(String topic) {
        return IntStream.range(0, partitions)
                .mapToObj(it -> new TopicPartition(topic, it))
                .toList();
    }

    private static List<String> values(TopicContents contents, int partition) {
        return Objects.requireNonNull(contents.records().get(partition)).stream()
                .map(ConsumerRecord::value)
                .map(HexFormat.of()::formatHex)
                .toList();
    }

    @Override
    public String toString() {
        var failures = new TreeMap<String, Integer>();
        lanes.forEach(
                lane -> lane.counts().failures().forEach((what, count) -> failures.merge(what, count, Integer::sum)));
        return String.format(
                Locale.ROOT,
                "%d ids: %d transactions of %d records committed, %d aborted, %d times fenced, longest gap of an id %.1f s,"
                        + " other ends %s",
                lanes.size(),
                sum(CopyCounts::committedCount),
                sum(CopyCounts::recordCount),
                sum(CopyCounts::abortedCount),
                sum(CopyCounts::fencedCount),
                lanes.stream()
                        .mapToDouble(it -> it.counts().longestGapSeconds())
                        .max()
                        .orElse(0),
                failures);
    }

    private long sum(ToLongFunction<CopyCounts> figure) {
        return lanes.stream().map(Lane::counts).mapToLong(figure).sum();
    }

    @Override
    public void close() {
        lanes.forEach(lane -> lane.copiers().forEach(Copier::close));
    }
}
