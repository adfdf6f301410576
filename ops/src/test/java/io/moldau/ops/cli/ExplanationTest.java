package io.moldau.ops.cli;

import static io.moldau.ops.cli.FakeCluster.sound;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.ops.report.Diagnosis;
import io.moldau.ops.report.Explanation;
import io.moldau.ops.report.Finding;
import io.moldau.ops.report.Finding.Severity;
import io.moldau.ops.report.GroupReport;
import io.moldau.ops.report.GroupReport.Group;
import io.moldau.ops.report.GroupReport.Member;
import io.moldau.ops.report.Picture;
import io.moldau.ops.report.Picture.Broker;
import io.moldau.ops.report.Picture.LogDir;
import io.moldau.ops.report.Picture.Partition;
import io.moldau.ops.report.Picture.Topic;
import io.moldau.ops.report.QuorumReport;
import io.moldau.ops.report.Scraped;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Each cause by itself, in a picture of a cluster.
class ExplanationTest {

    private static final TopicPartition FIRST = new TopicPartition("orders", 0);
    private static final LogDir SOUND = new LogDir("/d", "", 1000, 500, Map.of());

    private final List<Broker> brokers = new ArrayList<>();
    private final Map<String, Topic> topics = new HashMap<>();
    private final Map<String, Integer> minInsync = new HashMap<>();
    private final Map<Integer, List<LogDir>> dirs = new HashMap<>();
    private int quorumLeader = 1;

    ExplanationTest() {
        for (int id = 1; id <= 3; id++) {
            brokers.add(new Broker(id, "h" + id, 9092, "", false, false));
            dirs.put(id, List.of(SOUND));
        }
    }

    private Picture picture() {
        return new Picture(brokers, topics, minInsync, dirs, quorumLeader);
    }

    private void topic(String name, Partition... partitions) {
        topics.put(name, new Topic(name, new Uuid(0, 1), false, List.of(partitions)));
    }

    private void fence(int id) {
        brokers.replaceAll(
                broker -> broker.id() == id ? new Broker(id, broker.host(), broker.port(), "", false, true) : broker);
        dirs.remove(id);
    }

    private void remove(int id) {
        brokers.removeIf(broker -> broker.id() == id);
        dirs.remove(id);
    }

    private static Partition partition(int leader, List<Integer> replicas, List<Integer> isr) {
        return new Partition(0, leader, replicas, isr, List.of());
    }

    private String why() {
        return Finding.text(List.of(Explanation.partition(picture(), FIRST, topics.keySet())));
    }

    @Test
    void aSoundPartitionIsWell() {
        topic("orders", sound(0, 1, 2, 3));
        assertThat(why()).startsWith("ok: orders-0 is well: broker 1 leads, all 3 replicas");
    }

    @Test
    void anUnknownTopicHasANearestName() {
        topic("order", sound(0, 1));
        assertThat(why()).contains("no topic orders", "nearest name is order;");
        topics.clear();
        assertThat(why()).contains("no topics at all");
    }

    @Test
    void aPartitionThatIsNotThereHasARange() {
        topic("orders", sound(0, 1));
        assertThat(Explanation.partition(picture(), new TopicPartition("orders", 3), Set.of("orders"))
                        .remedy())
                .contains("0 to 0");
    }

    @Test
    void offlineBecauseTheLastReplicaInSyncIsNotRunning() {
        topic("orders", partition(-1, List.of(1, 2, 3), List.of(2)));
        fence(2);
        assertThat(why())
                .startsWith("problem: orders-0 is offline")
                .contains("because broker 2 is the one that has every acknowledged record")
                .contains("because broker 2 is registered and does not serve (fenced)")
                .contains("Start it")
                .contains("broker 1, 3 serves, and may lack")
                .contains("unclean.leader.election.enable");
    }

    @Test
    void offlineBecauseNoReplicaIsThere() {
        topic("orders", partition(-1, List.of(3), List.of(3)));
        remove(3);
        assertThat(why())
                .contains("none of its replicas is on a broker that serves (3)", "no broker with this id is registered")
                .contains("node.id=3")
                .doesNotContain("unclean");
    }

    @Test
    void offlineBecauseOfADisk() {
        topic("orders", partition(-1, List.of(2), List.of(2)));
        dirs.put(2, List.of(SOUND, new LogDir("/bad", "disk gone", -1, -1, Map.of())));
        assertThat(why()).contains("broker 2 cannot use its log directory /bad: disk gone", "Mend the disk");
    }

    @Test
    void offlineBecauseOfTheQuorum() {
        topic("orders", partition(-1, List.of(2), List.of(2)));
        quorumLeader = -1;
        assertThat(why()).contains("metadata quorum has no leader", "majority");
        quorumLeader = 1;
        assertThat(why()).contains("was not made leader yet");
    }

    @Test
    void offlineThoughAnEligibleReplicaIsRegistered() {
        topic("orders", new Partition(0, -1, List.of(1, 2), List.of(), List.of(2)));
        fence(2);
        assertThat(why()).contains("broker 2 is the one that has every acknowledged record");
    }

    @Test
    void tooFewInSyncBecauseABrokerIsGone() {
        topic("orders", partition(1, List.of(1, 2), List.of(1)));
        minInsync.put("orders", 2);
        remove(2);
        assertThat(why())
                .startsWith("problem: orders-0 takes no writes with acks=all: 1 of 2")
                .contains("because broker 2 is not there");
    }

    @Test
    void moreInSyncWantedThanThereAre() {
        topic("orders", sound(0, 1));
        minInsync.put("orders", 2);
        assertThat(why())
                .startsWith("note: orders-0 is well, and has 1 replica: min.insync.replicas=2 counts as 1")
                .contains("-r 2", "min.insync.replicas=1");
    }

    @Test
    void underReplicatedBecauseAFollowerIsSlowOrSilent() {
        topic("orders", partition(1, List.of(1, 2, 3), List.of(1)));
        dirs.put(3, List.of());
        assertThat(why())
                .startsWith("warning: orders-0 is under-replicated: 1 of 3")
                .contains("broker 2 serves and is behind the leader, broker 1")
                .contains("broker 3 is registered and does not answer from here");
    }

    @Test
    void anotherLeaderThanPreferredIsANote() {
        topic("orders", partition(2, List.of(1, 2), List.of(1, 2)));
        assertThat(why()).startsWith("note: ").contains("led by broker 2 and not by its preferred one, 1");
    }

    // ---- Groups.

    private static GroupReport group(String state, List<Member> members, long committed, long end) {
        return GroupReport.of(
                new Group("g", "classic", state, "range", 1, members, Map.of(FIRST, committed)),
                end < 0 ? Map.of() : Map.of(FIRST, end));
    }

    private static final Member READER = new Member("m-1", "client", "/10.0.0.1", Set.of(FIRST));
    private static final Member IDLE = new Member("m-2", "client", "/10.0.0.2", Set.of());

    private String whyGroup(GroupReport before, GroupReport now) {
        return Finding.text(Explanation.group(picture(), before, now, Map.of(FIRST, 10L), 3));
    }

    @Test
    void aGroupThatReadsIsWell() {
        topic("orders", sound(0, 1));
        assertThat(whyGroup(group("Stable", List.of(READER), 50, 100), group("Stable", List.of(READER), 60, 100)))
                .isEqualTo("ok: Group g is well: 1 member, 40 records behind, and it reads on.");
    }

    @Test
    void nobodyReadsBecauseThereIsNoMember() {
        topic("orders", sound(0, 1));
        GroupReport now = group("Empty", List.of(), 60, 100);
        assertThat(whyGroup(now, now)).contains("has no members, and 40 records to read", "group.id=g");
        GroupReport done = group("Empty", List.of(), 100, 100);
        assertThat(whyGroup(done, done)).startsWith("ok: ");
    }

    @Test
    void aRebalanceIsNamed() {
        topic("orders", sound(0, 1));
        GroupReport now = group("PreparingRebalance", List.of(READER), 100, 100);
        assertThat(whyGroup(now, now)).contains("handing out partitions (PreparingRebalance)", "max.poll.interval.ms");
    }

    @Test
    void aMemberThatDoesNotMoveIsNamed() {
        topic("orders", sound(0, 1));
        GroupReport now = group("Stable", List.of(READER, IDLE), 60, 100);
        assertThat(whyGroup(now, now))
                .contains("Member m-1 (client at /10.0.0.1) has not moved in orders-0 for 3 s, with 40 records")
                .contains("moldau consume orders -p 0 -o 60 -n 1")
                .contains("1 member of 2 have no partition: m-2");
    }

    @Test
    void aPartitionThatIsNobodysIsNamed() {
        topic("orders", sound(0, 1));
        GroupReport now = group("Stable", List.of(IDLE), 60, 100);
        assertThat(whyGroup(now, now)).contains("Nobody reads orders-0", "subscribe to topic orders");
    }

    @Test
    void anOfflinePartitionIsTheCause() {
        topic("orders", partition(-1, List.of(3), List.of(3)));
        remove(3);
        GroupReport now = group("Stable", List.of(READER), 60, -1);
        assertThat(whyGroup(now, now)).contains("Nobody can read orders-0", "because orders-0 is offline", "node.id=3");
    }

    @Test
    void offsetsOutsideTheLogAreNamed() {
        topic("orders", sound(0, 1));
        GroupReport lost = group("Stable", List.of(READER), 4, 100);
        assertThat(whyGroup(lost, lost)).contains("retention took 6 records");
        GroupReport past = group("Stable", List.of(READER), 200, 100);
        assertThat(whyGroup(past, past)).contains("past the end, 100", "--to-latest");
        topics.clear();
        assertThat(whyGroup(past, past)).contains("no such topic any more");
    }

    @Test
    void aGroupWithoutCoordinatorIsExplainedByItsPartition() {
        assertThat(Explanation.coordinator(picture(), "g"))
                .extracting(Finding::text)
                .asString()
                .contains("no group");

        int number = Explanation.coordinatorPartition("g", 2);
        topic(
                "__consumer_offsets",
                number == 0 ? partition(-1, List.of(3), List.of(3)) : sound(0, 1),
                number == 1 ? new Partition(1, -1, List.of(3), List.of(3), List.of()) : sound(1, 1));
        fence(3);
        Finding finding = Explanation.coordinator(picture(), "g");
        assertThat(finding).isNotNull();
        assertThat(Finding.text(finding == null ? List.of() : List.of(finding)))
                .contains("has no coordinator", "__consumer_offsets-" + number + " is offline", "broker 3");
    }

    // ---- Brokers.

    @Test
    void brokersAreExplained() {
        topic("orders", partition(1, List.of(2, 1), List.of(1)));
        assertThat(Finding.text(Explanation.broker(picture(), 1))).startsWith("ok: Broker 1 is well: it leads 1");
        assertThat(Finding.text(Explanation.broker(picture(), 2)))
                .contains("not in sync in 1 partition: orders-0", "leads 0 of the 1");
        assertThat(Finding.text(Explanation.broker(picture(), 9))).contains("no broker 9; registered are 1, 2, 3");
        dirs.put(3, List.of(new LogDir("/d", "", 1000, 15, Map.of())));
        assertThat(Explanation.broker(picture(), 3).getFirst().severity()).isEqualTo(Severity.PROBLEM);
        dirs.put(3, List.of(new LogDir("/d", "", 1000, 80, Map.of())));
        assertThat(Finding.text(Explanation.broker(picture(), 3)))
                .startsWith("warning: ")
                .contains("80 B of 1000 B");
        fence(3);
        assertThat(Finding.text(Explanation.broker(picture(), 3))).contains("fenced", "h3:9092");
    }

    // ---- The cluster as a whole.

    @Test
    void aCommonCauseIsNotToldAThousandTimes() {
        Partition[] partitions = new Partition[30];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = new Partition(i, 1, List.of(1, 2), List.of(1), List.of());
        }
        topic("orders", partitions);
        List<Finding> findings = Diagnosis.partitions(picture());
        assertThat(findings).hasSize(11);
        assertThat(findings.getLast().text()).isEqualTo("20 more partitions are under-replicated.");
    }

    @Test
    void unevenLeadersAndSingleReplicasAreTold() {
        topic("orders", partition(2, List.of(1, 2), List.of(1, 2)));
        topic("lonely", sound(0, 1));
        assertThat(Finding.text(Diagnosis.partitions(picture())))
                .contains("1 of 2 partitions are not led by their preferred broker")
                .contains("1 topic with a single replica, though 3 brokers serve: lonely");
    }

    @Test
    void theQuorumIsLookedAt() {
        assertThat(Finding.text(Diagnosis.quorum(null))).contains("does not answer");
        QuorumReport report = QuorumReport.of("c", Quorums.THREE, Quorums.REGISTERED, Typed.NOW_MS);
        assertThat(Finding.text(Diagnosis.quorum(report)))
                .contains("Controller 3 is a voter", "quorum remove 3")
                .doesNotContain("Controller 1");
        assertThat(Finding.text(Diagnosis.quorum(
                        new QuorumReport("c", -1, 1, 1, report.members().subList(0, 2)))))
                .contains("has no leader", "2 voters");
    }

    @Test
    void groupsThatNobodyReadsAreTold() {
        assertThat(Finding.text(Diagnosis.groups(
                        List.of(group("Empty", List.of(), 60, 100), group("Stable", List.of(READER), 60, 100)))))
                .isEqualTo("warning: Group g has no members, and 40 records to read.\n"
                        + "  -> Start its consumers, or delete it: 'moldau groups delete g'.");
    }

    private static Diagnosis.NodeAnswer node(String url, double open, double most, long ahead) {
        return new Diagnosis.NodeAnswer(
                url,
                true,
                "",
                new Scraped("process_files_open_files " + open + "\nprocess_files_max_files " + most + "\n"),
                ahead);
    }

    @Test
    void fileLimitsAndClocksAreLookedAt() {
        assertThat(Diagnosis.nodes(List.of(node("a", 10, 100_000, 500), node("b", 10, 100_000, -400))))
                .isEmpty();
        assertThat(Finding.text(Diagnosis.nodes(List.of(node("a", 90_000, 100_000, 0), node("b", 10, 1024, -7000)))))
                .contains("problem: The node at a may open 100000 files and has 90000 open")
                .contains("warning: The node at b may open 1024 files")
                .contains("The clock of a is 7 s ahead of that of b");
        assertThat(Finding.text(Diagnosis.nodes(List.of(node("a", 10, 100_000, -9000)))))
                .contains("The clock of this machine is 9 s ahead of that of a");
    }

    @Test
    void addressesAndConnectionsThatFailAreLookedAt() {
        var node = new Diagnosis.NodeAnswer("a", true, "", new Scraped("""
                        # TYPE moldau_advertised_listener_reached gauge
                        moldau_advertised_listener_reached{listener="IN"} 1
                        moldau_advertised_listener_reached{listener="OUT"} 0
                        moldau_connections_dropped_total{listener="IN",cause="idle"} 7
                        moldau_connections_dropped_total{listener="IN",cause="bad_frame"} 1
                        moldau_connections_dropped_total{listener="OUT",cause="bad_request"} 3
                        moldau_connections_dropped_total{listener="OUT",cause="too_many_connections"} 0
                        """), 0);
        assertThat(Finding.text(Diagnosis.nodes(List.of(node))))
                .contains("warning: The node at a did not find itself where it tells clients of listener OUT to come")
                .contains("warning: The node at a closed 1 connection to listener IN since its start: bad frame")
                .contains("HTTP or TLS")
                .contains("closed 3 connections to listener OUT since its start: bad request")
                .contains("configs set logger")
                .doesNotContain("listener IN to come")
                .doesNotContain("idle")
                .doesNotContain("too many");
    }

    @Test
    void logsThatCannotBeCompactedAreTold() {
        var node = new Diagnosis.NodeAnswer("a", true, "", new Scraped("""
                        kafka_log_logcleanermanager_uncleanable_partitions_count{directory="/d"} 2
                        kafka_log_logcleanermanager_uncleanable_partitions_count{directory="/e"} 0
                        """), 0);
        assertThat(Finding.text(Diagnosis.nodes(List.of(node))))
                .contains("warning: The node at a cannot compact 2 logs in /d")
                .doesNotContain("/e");
        assertThat(Finding.text(List.of(Explanation.uncleanable(FIRST, 3, 90_000, "'/d/x.log' is damaged"))))
                .startsWith("warning: orders-0 is not compacted here")
                .contains("failed 3 times in a row", "tried again in 90 s", "because '/d/x.log' is damaged");
    }
}
