package io.moldau.ops.groups;

import io.moldau.ops.chaos.cluster.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Stories of consumer groups (KIP-848), told to Apache Kafka and to Moldau: every answer is the
/// same, field by field, but for the words of messages.
class ConsumerGroupParityIT {

    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=3",
            "offsets.topic.replication.factor=1",
            "group.initial.rebalance.delay.ms=0",
            "group.consumer.assignment.interval.ms=0",
            "group.consumer.min.session.timeout.ms=1000",
            "group.consumer.min.heartbeat.interval.ms=500",
            "group.consumer.session.timeout.ms=6000",
            "group.consumer.heartbeat.interval.ms=2000",
            "group.consumer.max.size=3",
            "num.partitions=1");

    private static final Map<String, Consumer<GroupTalk>> STORIES = new LinkedHashMap<>();

    static {
        STORIES.put("whatIsWrongWithAHeartbeat", ConsumerGroupParityIT::whatIsWrongWithAHeartbeat);
        STORIES.put("oneMember", ConsumerGroupParityIT::oneMember);
        STORIES.put("anotherJoins", ConsumerGroupParityIT::anotherJoins);
        STORIES.put("epochs", ConsumerGroupParityIT::epochs);
        STORIES.put("noMoreThanThree", ConsumerGroupParityIT::noMoreThanThree);
        STORIES.put("staticMembers", ConsumerGroupParityIT::staticMembers);
        STORIES.put("staticMemberComesBack", ConsumerGroupParityIT::staticMemberComesBack);
        STORIES.put("whoIsSilentIsOut", ConsumerGroupParityIT::whoIsSilentIsOut);
        STORIES.put("whoDoesNotRevokeIsOut", ConsumerGroupParityIT::whoDoesNotRevokeIsOut);
        STORIES.put("subscriptions", ConsumerGroupParityIT::subscriptions);
        STORIES.put("assignors", ConsumerGroupParityIT::assignors);
        STORIES.put("patterns", ConsumerGroupParityIT::patterns);
        STORIES.put("offsets", ConsumerGroupParityIT::offsets);
        STORIES.put("deleting", ConsumerGroupParityIT::deleting);
        STORIES.put("listing", ConsumerGroupParityIT::listing);
        STORIES.put("classicGroupWithMembers", ConsumerGroupParityIT::classicGroupWithMembers);
        STORIES.put("emptyClassicGroup", ConsumerGroupParityIT::emptyClassicGroup);
        STORIES.put("classicMemberJoins", ConsumerGroupParityIT::classicMemberJoins);
        STORIES.put("noGroup", ConsumerGroupParityIT::noGroup);
    }

    @Test
    void answersAreTheReferences(@TempDir Path folder) throws Exception {
        GroupStories.compare(folder, STORIES, SETTINGS);
    }

    private static void whatIsWrongWithAHeartbeat(GroupTalk it) {
        it.topicId("w");
        it.reader("").join();
        it.reader("").version(0).join();
        it.reader("a").rebalance(0).join();
        it.reader("a").topics().join();
        it.reader("a").assignor("nobodys").join();
        it.reader("a").assignor("").join();
        it.reader("a").epoch(-3).beat();
        it.reader("a").epoch(9).beat();
        it.reader("a").epoch(0).beat();
        it.reader("a").leave();
        it.reader("a").leaveForAWhile();
        it.reader("a").instance("one").leaveForAWhile();
        it.reader("a").instance("").join();
        it.reader("a").topics().regex("x(").join();
        it.describeConsumer();
    }

    private static void oneMember(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a");
        a.join();
        it.describeConsumer();
        a.own();
        a.beat();
        it.describeConsumer();
        it.describe(5);
        it.describe(6);
        a.leave();
        it.describeConsumer();
        a.beat();
        a.leave();
        a.join();
        it.describeConsumer();
    }

    private static void anotherJoins(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a");
        a.join();
        a.own();
        var b = it.reader("b");
        b.join();
        it.describeConsumer();
        b.beat();
        a.beat();
        it.describeConsumer();
        a.beat();
        b.beat();
        a.own("w", 0, 1, 2, 3);
        a.own();
        it.describeConsumer();
        b.beat();
        it.describeConsumer();
        b.own();
        it.describeConsumer();
        var c = it.reader("c");
        c.join();
        a.beat();
        b.beat();
        a.own();
        b.own();
        c.beat();
        it.describeConsumer();
        b.leave();
        a.beat();
        c.beat();
        a.own();
        c.own();
        it.describeConsumer();
    }

    private static void epochs(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a");
        a.join();
        a.own();
        int epoch = a.epoch();
        a.epoch(epoch + 5).beat();
        a.epoch(epoch - 1).beat();
        a.epoch(epoch - 1).own();
        a.epoch(epoch).beat();
        var b = it.reader("b");
        b.join();
        a.epoch(epoch).beat();
        a.epoch(epoch).own();
        a.epoch(epoch).own();
        a.epoch(epoch).beat();
        it.describeConsumer();
        a.join();
        b.join();
        it.describeConsumer();
    }

    private static void noMoreThanThree(GroupTalk it) {
        it.topicId("w");
        for (String id : List.of("a", "b", "c", "d")) {
            it.reader(id).join();
        }
        it.reader("e").instance("one").join();
        it.describeConsumer();
    }

    private static void staticMembers(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a").instance("one");
        a.join();
        a.own();
        var thief = it.reader("thief").instance("one");
        thief.join();
        thief.epoch(a.epoch()).beat();
        it.reader("unknown").instance("two").epoch(1).beat();
        it.reader("unknown").instance("two").leaveForAWhile();
        it.describeConsumer();
        a.leave();
        it.describeConsumer();
    }

    private static void staticMemberComesBack(GroupTalk it) {
        it.topicId("w");
        it.topicId("t");
        var a = it.reader("a").instance("one");
        var b = it.reader("b").instance("two");
        a.join();
        a.own();
        b.join();
        a.beat();
        a.own();
        b.beat();
        b.own();
        it.describeConsumer();
        b.leaveForAWhile();
        it.describeConsumer();
        a.beat();
        var again = it.reader("b again").instance("two");
        again.join();
        again.own();
        it.describeConsumer();
        b.epoch(2).beat();
        again.leaveForAWhile();
        it.reader("b other").instance("two").topics("w", "t").join();
        a.beat();
        it.describeConsumer();
    }

    private static void whoIsSilentIsOut(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a");
        a.join();
        it.awaitConsumer("Empty");
        it.describeConsumer();
        a.beat();
        var b = it.reader("b").instance("one");
        b.join();
        b.leaveForAWhile();
        it.awaitConsumer("Empty");
        it.describeConsumer();
    }

    private static void whoDoesNotRevokeIsOut(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a").rebalance(4_000);
        a.join();
        a.own();
        var b = it.reader("b");
        b.join();
        a.beat();
        it.describeConsumer();
        // It goes on to send heartbeats, which is not enough.
        Await.pass(Duration.ofSeconds(2));
        a.beat();
        b.beat();
        Await.pass(Duration.ofSeconds(4));
        a.beat();
        b.beat();
        it.describeConsumer();
    }

    private static void subscriptions(GroupTalk it) {
        it.topicId("w");
        it.topicId("t");
        var a = it.reader("a").topics("absent");
        a.join();
        it.describeConsumer();
        a.subscribe("t");
        a.own();
        it.describeConsumer();
        a.subscribe("t");
        a.subscribe("t", "w", "absent");
        a.own();
        it.describeConsumer();
        a.subscribe();
        a.own();
        it.describeConsumer();
    }

    private static void assignors(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a").assignor("range");
        a.join();
        a.own();
        it.describeConsumer();
        var b = it.reader("b").assignor("uniform");
        b.join();
        it.describeConsumer();
        var c = it.reader("c").assignor("uniform");
        c.join();
        it.describeConsumer();
    }

    private static void patterns(GroupTalk it) {
        it.topicId("w");
        it.topicId("t");
        // Of one topic only: who gets which of several goes by their ids, which are random.
        var a = it.reader("a").topics().regex("t|absent");
        a.join();
        a.beatUntilNews();
        a.own();
        it.describeConsumer();
        var b = it.reader("b").topics().regex("w(");
        b.join();
        var c = it.reader("c").topics("u").regex("t|absent");
        it.topicId("u");
        c.join();
        it.describeConsumer();
        a.regex("").topics("w").join();
        it.describeConsumer();
    }

    private static void offsets(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a");
        a.commit("w", 1, 1);
        a.join();
        a.own();
        a.commit("w", a.epoch(), 2);
        a.commit("w", a.epoch() + 1, 3);
        a.commit("w", a.epoch() - 1, 4);
        a.commit("w", -1, 5);
        it.commit("w", 6);
        it.reader("nobody").commit("w", 1, 7);
        it.commit("a", 8, "a", null, a.epoch(), "w", 8, "");
        it.fetchAs("a", a.epoch(), "w");
        it.fetchAs("a", a.epoch() + 1, "w");
        it.fetchAs("a", a.epoch() - 1, "w");
        it.fetchAs("nobody", 1, "w");
        it.fetchAs("", -1, "w");
        it.deleteOffsets("w", "t");
        a.leave();
        it.commit("w", 9);
        it.deleteOffsets("w");
        it.fetch(9, null);
    }

    private static void deleting(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a");
        a.join();
        a.commit("w", a.epoch(), 1);
        it.delete();
        a.leave();
        it.delete();
        it.describeConsumer();
        it.fetch(9, "w");
        a.beat();
        a.join();
        it.describeConsumer();
    }

    private static void listing(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a");
        a.join();
        a.own();
        it.list(5, List.of(), List.of());
        it.list(5, List.of(), List.of("classic"));
        it.list(5, List.of("Stable"), List.of("consumer"));
        it.list(4, List.of("stable"), List.of());
        it.list(3, List.of(), List.of());
        var b = it.reader("b");
        b.join();
        a.beat();
        it.list(5, List.of(), List.of());
        it.list(5, List.of("Reconciling"), List.of());
        a.leave();
        b.leave();
        it.list(5, List.of(), List.of());
        it.list(5, List.of("Empty"), List.of("Consumer"));
    }

    private static void classicGroupWithMembers(GroupTalk it) {
        it.topicId("w");
        var classic = it.member("classic").subscribed("w");
        classic.enter();
        classic.sync();
        it.describeConsumer();
        var a = it.reader("a");
        a.join();
        it.describe(5);
        it.describeConsumer();
        classic.beat();
        a.beat();
    }

    private static void emptyClassicGroup(GroupTalk it) {
        it.topicId("w");
        it.commit("w", 5);
        it.describeConsumer();
        var a = it.reader("a");
        a.join();
        a.own();
        it.describeConsumer();
        it.fetchAs("a", a.epoch(), "w");
        a.leave();
        var classic = it.member("classic").subscribed("w");
        classic.enter();
        it.describe(5);
        it.describeConsumer();
        classic.sync();
        it.fetch(9, null);
    }

    private static void classicMemberJoins(GroupTalk it) {
        it.topicId("w");
        var a = it.reader("a");
        a.join();
        a.own();
        it.member("connector").type("connect").protocols("eager").enter();
        it.member("garbled").metadata("x").enter();
        it.member("old").version(3).metadata("x").enter();
        it.member("nobody").id("nobody").generation(1).beat();
        it.member("nobody").id("a").generation(a.epoch()).beat();
        it.member("nobody").id("a").generation(a.epoch()).sync();
        var nobody = it.member("nobody").id("a").generation(a.epoch());
        nobody.leave(5, nobody);
        it.describeConsumer();
    }

    private static void noGroup(GroupTalk it) {
        it.describeConsumer();
        it.reader("a").epoch(1).beat();
        it.reader("a").leave();
        it.reader("a").commit("t", 1, 1);
        it.fetchAs("a", 1, "t");
        it.describeConsumer();
    }
}
