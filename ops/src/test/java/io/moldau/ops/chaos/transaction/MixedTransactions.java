package io.moldau.ops.chaos.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.load.Companion;
import io.moldau.ops.chaos.transaction.Transaction.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;

/// Clients that write transactions over the partitions of several topics and read them all. The test's thread.
public final class MixedTransactions implements Companion {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Map<String, Integer> TOPICS = new TreeMap<>(Map.of("mixed-a", 4, "mixed-b", 2));

    private final ClusterProcesses cluster;
    private final TransactionHistory history = new TransactionHistory();
    private final List<MixedClient> clients = new ArrayList<>();

    /// Makes the topics and starts the clients, whose transactional ids are those of [#transactionalIds].
    public MixedTransactions(ClusterProcesses cluster, int clients, long seed) throws Exception {
        this.cluster = cluster;
        for (var topic : TOPICS.entrySet()) {
            cluster.view().createTopic(topic.getKey(), topic.getValue(), Map.of("min.insync.replicas", "2"));
        }
        cluster.await("leaders", PATIENCE, () -> cluster.view().allInSync(TOPICS.keySet()));
        for (int number = 1; number <= clients; number++) {
            this.clients.add(new MixedClient(cluster.bootstrap(), number, partitions(), history, seed * 31 + number));
        }
    }

    public List<String> transactionalIds() {
        return clients.stream().map(MixedClient::id).toList();
    }

    private static List<TopicPartition> partitions() {
        return TOPICS.entrySet().stream()
                .flatMap(topic ->
                        IntStream.range(0, topic.getValue()).mapToObj(it -> new TopicPartition(topic.getKey(), it)))
                .toList();
    }

    @Override
    public List<String> topics() {
        var all = new ArrayList<>(TOPICS.keySet());
        all.add("__transaction_state");
        return all;
    }

    @Override
    public void awaitFresh(long sinceNanos) {
        Await.until(
                "every client to commit",
                PATIENCE,
                () -> clients.stream().allMatch(it -> history.freshSince(it.number(), sinceNanos)),
                () -> this + "\n" + cluster.words());
    }

    @Override
    public Map<TopicPartition, Long> finish() throws Exception {
        for (var client : clients) {
            client.finish();
        }
        TopicContents.awaitStable(cluster.bootstrap(), partitions(), PATIENCE);
        var atTheEnd = new ArrayList<Sighting>();
        var ends = new HashMap<TopicPartition, Long>();
        long written = 0;
        for (var topic : TOPICS.keySet()) {
            var own =
                    partitions().stream().filter(it -> it.topic().equals(topic)).toList();
            var contents = TopicContents.read(cluster.bootstrap(), own, "read_committed");
            ends.putAll(contents.ends());
            contents.records()
                    .forEach((partition, records) -> records.forEach(it -> atTheEnd.add(
                            new Sighting(new TopicPartition(topic, partition), it.offset(), Mark.decode(it.value())))));
            written += TopicContents.read(cluster.bootstrap(), own, "read_uncommitted").records().values().stream()
                    .mapToLong(List::size)
                    .sum();
        }
        var during = clients.stream().collect(Collectors.toMap(MixedClient::id, MixedClient::seen));
        var verdict = TransactionChecker.check(history.transactions(), atTheEnd, during);
        System.out.printf(
                "MIXED %s; %d records, %d aborted ones, %d seen meanwhile; %s%n",
                this,
                atTheEnd.size(),
                written - atTheEnd.size(),
                during.values().stream().mapToLong(List::size).sum(),
                verdict);
        assertThat(verdict.clean()).as("%s", verdict).isTrue();
        assertThat(written).as("read_uncommitted shows aborted records").isGreaterThan(atTheEnd.size());
        return ends;
    }

    @Override
    public String toString() {
        return "%d clients: %d transactions committed, %d aborted, %d of unknown outcome, errors %s"
                .formatted(
                        clients.size(),
                        history.count(Outcome.COMMITTED),
                        history.count(Outcome.ABORTED),
                        history.count(Outcome.UNKNOWN),
                        history.failures());
    }

    @Override
    public void close() {
        clients.forEach(MixedClient::close);
    }
}
