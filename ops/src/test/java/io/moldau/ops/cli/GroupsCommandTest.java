package io.moldau.ops.cli;

import static io.moldau.ops.cli.FakeCluster.sound;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicPartition;
import io.moldau.ops.report.GroupReport.Group;
import io.moldau.ops.report.GroupReport.Member;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupsCommandTest {

    private static final TopicPartition FIRST = new TopicPartition("orders", 0);
    private static final TopicPartition SECOND = new TopicPartition("orders", 1);
    private static final TopicPartition THIRD = new TopicPartition("orders", 2);

    private final FakeCluster cluster = new FakeCluster().withTopic("orders", sound(0, 1), sound(1, 1), sound(2, 1));
    private final Typed typed = new Typed(cluster);

    @BeforeEach
    void groups() {
        cluster.groups.put(
                "idle", new Group("idle", "classic", "Empty", "", 1, List.of(), Map.of(FIRST, 40L, SECOND, 7L)));
        cluster.groups.put(
                "busy",
                new Group(
                        "busy",
                        "classic",
                        "Stable",
                        "range",
                        2,
                        List.of(new Member("m-1", "client", "/10.0.0.1", Set.of(FIRST, THIRD))),
                        Map.of(FIRST, 90L, SECOND, 7L)));
        for (TopicPartition partition : List.of(FIRST, SECOND, THIRD)) {
            cluster.starts.put(partition, 10L);
            cluster.ends.put(partition, 100L);
            cluster.byTime.put(partition, 60L);
        }
        cluster.byTime.put(SECOND, -1L);
    }

    @Test
    void groupsAreListed() {
        assertThat(typed.run("groups list")).isZero();
        assertThat(typed.out().lines())
                .containsExactly(
                        "GROUP  TYPE     PROTOCOL  STATE",
                        "busy   classic  consumer  Stable",
                        "idle   classic  consumer  Empty");
    }

    @Test
    void aDescriptionHasTheLagOfEachPartition() {
        cluster.ends.remove(SECOND);

        assertThat(typed.run("groups describe busy")).isZero();
        assertThat(typed.out().lines())
                .containsExactly(
                        "group busy, classic, state Stable, assignor range, coordinator 2, members 1, lag 10",
                        "",
                        "TOPIC   PARTITION  COMMITTED  END  LAG  MEMBER",
                        "orders          0         90  100   10  m-1",
                        "orders          1          7    -    -  -",
                        "orders          2          -  100    -  m-1");

        typed.run("groups describe busy --members");
        assertThat(typed.out()).contains("m-1", "/10.0.0.1", "orders-0,orders-2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--to-earliest             | {orders-0=10, orders-1=10}",
                "--to-latest               | {orders-0=100, orders-1=100}",
                "--to-offset 50            | {orders-0=50, orders-1=50}",
                "--to-offset 5             | {orders-0=10, orders-1=10}",
                "--to-offset 5000          | {orders-0=100, orders-1=100}",
                "--shift-by 20             | {orders-0=60, orders-1=27}",
                "--shift-by -35            | {orders-0=10, orders-1=10}",
                "--to-time -5m             | {orders-0=60, orders-1=100}",
                "--to-time 1970-01-01      | {orders-0=60, orders-1=100}",
            })
    void offsetsMoveToWhereTheyAreWanted(String where, String offsets) {
        assertThat(typed.run("groups reset-offsets idle --all-topics --execute " + where))
                .isZero();
        assertThat(cluster.told).containsExactly("commit idle " + offsets, "closed");
        assertThat(typed.out()).contains("are moved");
    }

    @Test
    void withoutExecuteItOnlySays() {
        assertThat(typed.run("groups reset-offsets busy --topic orders:0,2,2 --to-offset 80"))
                .isZero();
        assertThat(typed.out().lines())
                .containsExactly(
                        "TOPIC   PARTITION  FROM  TO  LAG AFTERWARDS",
                        "orders          0    90  80              20",
                        "orders          2     -  80              20",
                        "",
                        "Nothing is changed; --execute does it.");
        assertThat(cluster.told).containsExactly("closed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "busy --all-topics --to-latest --execute | has 1 member          | --members",
                "idle --to-latest                        | not clear             | --topic",
                "idle --topic orders --all-topics --to-latest | not clear        | not both",
                "idle --topic orders:9 --to-latest       | partitions 9          | 0 to 2",
                "idle --topic none --to-latest           | none                  | list",
                "idle --all-topics --to-time yesterday   | 'yesterday'           | 2026-",
            })
    void whatCannotBeDoneNamesSubjectAndRemedy(String line, String subject, String remedy) {
        assertThat(typed.run("groups reset-offsets " + line)).isEqualTo(1);
        assertThat(typed.error()).contains(subject, remedy);
        assertThat(cluster.told).allMatch("closed"::equals);
    }

    @Test
    void oneTargetIsNeededAndNoMore() {
        assertThat(typed.run("groups reset-offsets idle --all-topics")).isEqualTo(2);
        assertThat(typed.error()).contains("--to-earliest");
        assertThat(typed.run("groups reset-offsets idle --all-topics --to-latest --to-earliest"))
                .isEqualTo(2);
    }

    @Test
    void anUnknownEndStopsIt() {
        cluster.ends.remove(FIRST);
        assertThat(typed.run("groups reset-offsets idle --all-topics --to-earliest --execute"))
                .isEqualTo(1);
        assertThat(typed.error()).contains("orders-0", "explain partition");
        assertThat(cluster.told).containsExactly("closed");
    }

    @Test
    void groupsAreDeleted() {
        assertThat(typed.run("groups delete idle")).isZero();
        assertThat(cluster.told).containsExactly("delete group idle", "closed");
    }
}
