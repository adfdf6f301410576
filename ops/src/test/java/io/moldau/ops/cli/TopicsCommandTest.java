package io.moldau.ops.cli;

import static io.moldau.ops.cli.FakeCluster.sound;
import static io.moldau.ops.cli.FakeCluster.topic;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicPartition;
import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.Partition;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicsCommandTest {

    private final FakeCluster cluster = new FakeCluster()
            .withBrokers(3)
            .withTopic(
                    "orders",
                    sound(0, 1, 2),
                    new Partition(1, 2, List.of(2, 3), List.of(2), List.of()),
                    new Partition(2, -1, List.of(3, 1), List.of(3), List.of()),
                    new Partition(3, 1, List.of(1, 2, 3), List.of(1, 2), List.of()))
            .withTopic("__consumer_offsets", sound(0, 1))
            .withSetting(topic("orders"), "min.insync.replicas", "2", "dynamic topic config")
            .withSetting(topic("orders"), "retention.ms", "604800000", "default config");
    private final Typed typed = new Typed(cluster);

    @Test
    void theListCountsWhatIsNotWell() {
        assertThat(typed.run("topics list")).isZero();
        assertThat(typed.out().lines())
                .containsExactly(
                        "TOPIC   PARTITIONS  REPLICAS  UNDER-REPLICATED  OFFLINE",
                        "orders           4         2                 3        1");

        typed.run("topics list --internal --json");
        assertThat(typed.out()).contains("\"name\": \"__consumer_offsets\"", "\"internal\": true");
        assertThat(cluster.told).containsExactly("closed", "closed");
    }

    @Test
    void aDescriptionMarksWhatIsNotWell() {
        assertThat(typed.run("topics describe orders")).isZero();
        assertThat(typed.out().lines().skip(1))
                .containsExactly(
                        "  min.insync.replicas=2",
                        "",
                        "PARTITION  LEADER  REPLICAS  ISR  STATE",
                        "        0       1  1,2       1,2  ok",
                        "        1       2  2,3       2    UNDER MIN ISR",
                        "        2       -  3,1       3    OFFLINE",
                        "        3       1  1,2,3     1,2  UNDER-REPLICATED");

        typed.run("topics describe --unhealthy");
        assertThat(typed.out()).contains("OFFLINE").doesNotContain("  ok", "__consumer_offsets");
    }

    @Test
    void aTopicIsCreatedWithWhatWasSaid() {
        typed.run("topics create a");
        typed.run("topics create b -p 3 -r 2 -c retention.ms=1 -c cleanup.policy=compact");
        typed.run("topics create c --dry-run");
        typed.run("topics create orders --if-not-exists");
        assertThat(typed.out()).contains("Topic a is created.", "Topic c would be created.", "exists already");
        assertThat(cluster.told)
                .containsSubsequence(
                        "create a -1 -1 {}",
                        "create b 3 2 {cleanup.policy=compact, retention.ms=1}",
                        "create c -1 -1 {} dry")
                .noneMatch(told -> told.contains("create orders"));
    }

    @Test
    void topicsAreDeleted() {
        assertThat(typed.run("topics delete orders other --if-exists")).isZero();
        assertThat(cluster.told).containsExactly("delete orders", "closed");
    }

    @Test
    void aTopicIsChanged() {
        assertThat(typed.run("topics alter orders -p 6 -c retention.ms=5 --unset cleanup.policy"))
                .isZero();
        assertThat(cluster.told)
                .containsExactly(
                        "partitions orders 6",
                        "alter TOPIC 'orders' {cleanup.policy=Optional.empty, retention.ms=Optional[5]}",
                        "closed");
    }

    @Test
    void whatCannotBeChangedIsToldBeforeAnythingIsAsked() {
        assertThat(typed.run("topics alter orders")).isEqualTo(1);
        assertThat(typed.error()).contains("Nothing was said", "--unset");

        assertThat(typed.run("topics alter orders -p 2")).isEqualTo(1);
        assertThat(typed.error()).contains("has 4 partitions", "only be added");

        assertThat(typed.run("topics alter orders -r 4")).isEqualTo(1);
        assertThat(typed.error()).contains("3 brokers serve", "from 1 to 3");
    }

    @Test
    void moreReplicasGoToOtherRacksAndIdleBrokers() {
        List<Broker> brokers = List.of(
                new Broker(1, "h", 1, "a", false, false),
                new Broker(2, "h", 1, "a", false, false),
                new Broker(3, "h", 1, "b", false, false),
                new Broker(4, "h", 1, "b", false, false));

        assertThat(ReplicaCount.change("t", List.of(sound(0, 1), sound(1, 2)), brokers, 2))
                .isEqualTo(Map.of(
                        new TopicPartition("t", 0), List.of(1, 3),
                        new TopicPartition("t", 1), List.of(2, 4)));
        assertThat(ReplicaCount.change("t", List.of(sound(0, 1, 3)), brokers, 2))
                .isEmpty();
    }

    @Test
    void fewerReplicasKeepThoseInSync() {
        var partition = new Partition(0, 3, List.of(1, 2, 3), List.of(3), List.of());

        assertThat(ReplicaCount.change("t", List.of(partition), List.of(), 1)).containsValue(List.of(3));
        assertThat(ReplicaCount.change("t", List.of(sound(0, 1, 2, 3)), List.of(), 2))
                .containsValue(List.of(1, 2));
    }
}
