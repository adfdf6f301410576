package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.Network;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.lifecycle.Startables;

/// A quorum of one container grows to three, as it does when a StatefulSet is scaled: the first names itself, and the
/// others name the first.
@Testcontainers(disabledWithoutDocker = true)
class ControllersIT {

    private static final int FIRST = 101;
    private static final Duration SOON = Duration.ofMinutes(2);

    @Test
    void controllersJoinByThemselvesAndOutliveTheFirst() throws Exception {
        try (var clients = Network.newNetwork();
                var peers = Network.builder()
                        .createNetworkCmdModifier(create -> create.withInternal(true))
                        .build();
                var first = controller(FIRST).withPeers(clients, peers);
                var second = controller(FIRST + 1).withPeers(clients, peers);
                var third = controller(FIRST + 2).withPeers(clients, peers);
                var broker = broker().withPeers(clients, peers);
                var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            Startables.deepStart(first, broker).join();
            assertThat(voters(broker)).containsExactly(FIRST);
            create(admin, "before");

            Startables.deepStart(second, third).join();
            Conditions.await("three voters", SOON, () -> voters(broker).equals(Set.of(FIRST, FIRST + 1, FIRST + 2)));
            System.out.println(status(broker));

            first.kill();
            Conditions.await("a topic without the first controller", SOON, () -> {
                create(admin, "after");
                return true;
            });
            first.close();

            // It comes back with an empty volume, finds nobody but itself again, and begins a quorum that nobody joins.
            try (var stray = controller(FIRST).withPeers(clients, peers)) {
                stray.start();
                create(admin, "beside-the-stray");
            }
            // What the README advises.
            try (var back = controller(FIRST)
                    .withPeers(clients, peers)
                    .with("MOLDAU_CONTROLLER_QUORUM_BOOTSTRAP_SERVERS", NodeContainer.peerName(FIRST + 1) + ":9093")) {
                String lost = directoryOfFirst(broker);
                back.start();
                Conditions.await(
                        "the first controller to be a voter again",
                        SOON,
                        () -> voters(broker).size() == 3
                                && !directoryOfFirst(broker).equals(lost));
            }
            assertThat(admin.listTopics().names().get()).contains("before", "after", "beside-the-stray");
        }
    }

    private static String directoryOfFirst(NodeContainer broker) throws Exception {
        return status(broker)
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith(FIRST + " "))
                .map(line -> line.split(" +", -1)[2])
                .findFirst()
                .orElseThrow();
    }

    private static NodeContainer controller(int id) {
        return new NodeContainer(id)
                .with("MOLDAU_PROCESS_ROLES", "controller")
                .with("MOLDAU_LISTENERS", "CONTROLLER://:9093")
                .with("MOLDAU_ADVERTISED_LISTENERS", "CONTROLLER://" + NodeContainer.peerName(id) + ":9093")
                .with("MOLDAU_CONTROLLER_QUORUM_BOOTSTRAP_SERVERS", NodeContainer.peerName(FIRST) + ":9093")
                .with("MOLDAU_CONTROLLER_QUORUM_AUTO_JOIN_ENABLE", "true")
                .withMemory(256);
    }

    private static NodeContainer broker() {
        var broker = new NodeContainer(1);
        return broker.with("MOLDAU_PROCESS_ROLES", "broker")
                .with("MOLDAU_LISTENERS", "OUTSIDE://:9092,INSIDE://:19092")
                .with(
                        "MOLDAU_ADVERTISED_LISTENERS",
                        "OUTSIDE://" + broker.bootstrap() + ",INSIDE://" + NodeContainer.peerName(1) + ":19092")
                .with("MOLDAU_INTER_BROKER_LISTENER_NAME", "INSIDE")
                .with(
                        "MOLDAU_LISTENER_SECURITY_PROTOCOL_MAP",
                        "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT")
                .with("MOLDAU_CONTROLLER_QUORUM_BOOTSTRAP_SERVERS", NodeContainer.peerName(FIRST) + ":9093");
    }

    private static void create(Admin admin, String topic) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get(20, TimeUnit.SECONDS);
    }

    /// The command as an operator calls it, inside the broker's container.
    private static String status(NodeContainer broker) throws Exception {
        return broker.succeeds("moldau", "quorum", "status", "-b", NodeContainer.peerName(1) + ":19092");
    }

    private static Set<Integer> voters(NodeContainer broker) throws Exception {
        return status(broker)
                .lines()
                .map(String::strip)
                .filter(line -> line.matches("\\d+ +(leader|voter)\\b.*"))
                .map(line -> Integer.parseInt(line.split(" ", 2)[0]))
                .collect(Collectors.toSet());
    }
}
