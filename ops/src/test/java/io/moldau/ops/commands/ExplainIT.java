package io.moldau.ops.commands;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.ClusterPlan;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `moldau explain` and `moldau doctor` say while brokers of a real cluster are gone.
class ExplainIT {

    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Pattern TWO_REPLICAS = Pattern.compile("\"replicas\": \\[\\s*(\\d+),\\s*(\\d+)\\s*]");

    @TempDir
    private Path folder;

    @Test
    void brokersThatAreGoneAreNamedAsTheCause() throws Exception {
        var plan = ClusterPlan.of(Subject.MOLDAU, folder)
                .controllers(101)
                .brokers(1, 2, 3)
                .with("min.insync.replicas", "2");
        try (var cluster = ClusterProcesses.start(plan)) {
            assertThat(ask(cluster, "topics create orders -p 1 -r 2").status()).isZero();
            Matcher replicas = TWO_REPLICAS.matcher(
                    ask(cluster, "topics describe orders --json").out());
            assertThat(replicas.find()).isTrue();
            int leader = Integer.parseInt(replicas.group(1));
            int follower = Integer.parseInt(replicas.group(2));
            awaitExplanation(cluster, "ok: orders-0 is well");

            cluster.node(follower).kill();
            awaitExplanation(cluster, "orders-0 takes no writes with acks=all: 1 of 2");
            assertThat(explain(cluster))
                    .contains("because broker " + follower + " is registered and does not serve (fenced)");
            Launch refused = ask(cluster, "produce orders --timeout 3", "lost\n");
            assertThat(refused.status()).isEqualTo(1);
            assertThat(refused.error()).contains("1 of 1 records were not acknowledged", "topic orders");
            Launch doctor = ask(cluster, "doctor");
            assertThat(doctor.status()).isEqualTo(1);
            assertThat(doctor.out()).contains("Broker " + follower + " is registered and does not serve");

            cluster.node(leader).kill();
            awaitExplanation(cluster, "orders-0 is offline");
            assertThat(explain(cluster))
                    .contains("none of its replicas is on a broker that serves")
                    .contains("broker " + leader + " is registered and does not serve (fenced)");

            cluster.node(leader).start();
            cluster.node(follower).start();
            awaitExplanation(cluster, "ok: orders-0 is well");
        }
    }

    private void awaitExplanation(ClusterProcesses cluster, String part) {
        cluster.await(
                "'" + part + "' to be explained", SOON, () -> explain(cluster).contains(part));
    }

    private String explain(ClusterProcesses cluster) throws Exception {
        return ask(cluster, "explain partition orders-0").out();
    }

    private Launch ask(ClusterProcesses cluster, String line) throws Exception {
        return ask(cluster, line, "");
    }

    private Launch ask(ClusterProcesses cluster, String line, String input) throws Exception {
        return Launch.of(folder, input, (line + " --bootstrap-server " + cluster.bootstrap()).split(" ", -1));
    }
}
