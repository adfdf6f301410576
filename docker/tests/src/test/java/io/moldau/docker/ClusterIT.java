package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.Network;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.lifecycle.Startables;

/// Three containers that are broker and controller each: killed, paused and cut off one after the other, while a
/// producer of this machine goes on.
@Testcontainers(disabledWithoutDocker = true)
class ClusterIT {

    private static final int NODES = 3;
    private static final String TOPIC = "numbers";
    private static final int PARTITIONS = 6;
    private static final Duration SOON = Duration.ofMinutes(2);

    @Test
    void whatWasAcknowledgedSurvivesKillsPausesAndCuts() throws Exception {
        try (var clients = Network.newNetwork();
                var peers = Network.builder()
                        .createNetworkCmdModifier(create -> create.withInternal(true))
                        .build()) {
            List<NodeContainer> nodes = IntStream.rangeClosed(1, NODES)
                    .mapToObj(id -> node(id).withPeers(clients, peers))
                    .toList();
            try {
                Startables.deepStart(nodes).join();
                misfortunes(nodes);
            } finally {
                nodes.forEach(NodeContainer::close);
            }
        }
    }

    private static NodeContainer node(int id) {
        String voters = IntStream.rangeClosed(1, NODES)
                .mapToObj(voter -> voter + "@" + NodeContainer.peerName(voter) + ":9093")
                .collect(Collectors.joining(","));
        var node = new NodeContainer(id);
        return node.with("MOLDAU_CONTROLLER_QUORUM_VOTERS", voters)
                .with("MOLDAU_LISTENERS", "OUTSIDE://:9092,INSIDE://:19092,CONTROLLER://:9093")
                .with(
                        "MOLDAU_ADVERTISED_LISTENERS",
                        "OUTSIDE://" + node.bootstrap() + ",INSIDE://" + NodeContainer.peerName(id) + ":19092")
                .with("MOLDAU_INTER_BROKER_LISTENER_NAME", "INSIDE")
                .with(
                        "MOLDAU_LISTENER_SECURITY_PROTOCOL_MAP",
                        "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT")
                .with("MOLDAU_MIN_INSYNC_REPLICAS", "2");
    }

    private static void misfortunes(List<NodeContainer> nodes) throws Exception {
        String bootstrap = nodes.stream().map(NodeContainer::bootstrap).collect(Collectors.joining(","));
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) NODES)))
                    .all()
                    .get();
            try (var records = new NumberedRecords(bootstrap, TOPIC, PARTITIONS)) {
                records.awaitOneMore(SOON);

                NodeContainer killed = nodes.get(0);
                killed.kill();
                records.awaitOneMore(SOON);
                killed.begin();
                awaitAllInSync(admin);

                NodeContainer paused = nodes.get(1);
                paused.pause();
                records.awaitOneMore(SOON);
                paused.unpause();
                awaitAllInSync(admin);

                NodeContainer cut = nodes.get(2);
                cut.cut();
                // Clients still reach it, and it must not acknowledge what the others do not hold.
                records.awaitOneMore(SOON);
                cut.heal();
                awaitAllInSync(admin);

                records.awaitOneMore(SOON);
                Set<Long> acknowledged = records.finish();
                var found = new AtomicReference<List<Long>>(List.of());
                // A leader that was cut off shows who asks it what it had then, until it hears of its successor.
                Conditions.await("all that was acknowledged to be read", SOON, () -> {
                    found.set(records.readBack());
                    return Objects.requireNonNull(found.get()).size() >= acknowledged.size();
                });
                List<Long> read = Objects.requireNonNull(found.get());
                System.out.printf("containers: %d acknowledged, %d read%n", acknowledged.size(), read.size());
                assertThat(read).containsAll(acknowledged).doesNotHaveDuplicates();
            }
        }
    }

    private static void awaitAllInSync(Admin admin) throws Exception {
        Conditions.await(
                "all replicas to be in sync",
                Duration.ofMinutes(2),
                () -> Objects.requireNonNull(admin.describeTopics(List.of(TOPIC))
                                .topicNameValues()
                                .get(TOPIC))
                        .get()
                        .partitions()
                        .stream()
                        .allMatch(partition -> partition.isr().size() == NODES));
    }
}
