package io.moldau.ops.groups;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.groups.GroupTalk.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Stories of classic groups, told to Apache Kafka and to Moldau: every answer is the same, field by field, but for
/// ids.
class ClassicGroupParityIT {

    private static final int INITIAL_DELAY_MS = 1_500;

    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=3",
            "offsets.topic.replication.factor=1",
            "group.initial.rebalance.delay.ms=" + INITIAL_DELAY_MS,
            "group.min.session.timeout.ms=1000",
            "group.max.session.timeout.ms=60000",
            "group.max.size=3",
            "num.partitions=1");

    /// Empty groups without offsets go by the same clock, so only stories that wait for it have a quick one.
    private static final List<String> QUICK_EXPIRY =
            List.of("offsets.retention.minutes=1", "offsets.retention.check.interval.ms=2000");

    private static final Map<String, Consumer<GroupTalk>> STORIES = new LinkedHashMap<>();

    static {
        STORIES.put("whatIsWrongWithAJoin", ClassicGroupParityIT::whatIsWrongWithAJoin);
        STORIES.put("joinsInOldVersions", ClassicGroupParityIT::joinsInOldVersions);
        STORIES.put("protocolsThatDoNotMeet", ClassicGroupParityIT::protocolsThatDoNotMeet);
        STORIES.put("throughAllStates", ClassicGroupParityIT::throughAllStates);
        STORIES.put("whatIsWrongWithASync", ClassicGroupParityIT::whatIsWrongWithASync);
        STORIES.put("beats", ClassicGroupParityIT::beats);
        STORIES.put("noMoreThanThree", ClassicGroupParityIT::noMoreThanThree);
        STORIES.put("firstRebalanceWaits", ClassicGroupParityIT::firstRebalanceWaits);
        STORIES.put("whoDoesNotRejoinIsOut", ClassicGroupParityIT::whoDoesNotRejoinIsOut);
        STORIES.put("whoIsSilentIsOut", ClassicGroupParityIT::whoIsSilentIsOut);
        STORIES.put("leaderRejoins", ClassicGroupParityIT::leaderRejoins);
        STORIES.put("followerRejoins", ClassicGroupParityIT::followerRejoins);
        STORIES.put("joinsWhileLeaderAssigns", ClassicGroupParityIT::joinsWhileLeaderAssigns);
        STORIES.put("whoDoesNotSyncIsOut", ClassicGroupParityIT::whoDoesNotSyncIsOut);
        STORIES.put("idsNobodyUsesExpire", ClassicGroupParityIT::idsNobodyUsesExpire);
        STORIES.put("idsCountAsMembers", ClassicGroupParityIT::idsCountAsMembers);
        STORIES.put("startsAnewAfterAll", ClassicGroupParityIT::startsAnewAfterAll);
        STORIES.put("leaving", ClassicGroupParityIT::leaving);
        STORIES.put("staticMembers", ClassicGroupParityIT::staticMembers);
        STORIES.put("staticMemberWithOtherProtocols", ClassicGroupParityIT::staticMemberWithOtherProtocols);
        STORIES.put("staticLeaderComesBack", ClassicGroupParityIT::staticLeaderComesBack);
        STORIES.put("staticMemberComesBackDuringRebalance", ClassicGroupParityIT::staticMemberComesBackDuringRebalance);
        STORIES.put("staticLeaderWithOtherProtocols", ClassicGroupParityIT::staticLeaderWithOtherProtocols);
        STORIES.put("staticMemberIsSilent", ClassicGroupParityIT::staticMemberIsSilent);
        STORIES.put("staticMemberInFirstJoin", ClassicGroupParityIT::staticMemberInFirstJoin);
        STORIES.put("manyLeaveAtOnce", ClassicGroupParityIT::manyLeaveAtOnce);
        STORIES.put("commitsOfMembers", ClassicGroupParityIT::commitsOfMembers);
        STORIES.put("commitsOfOutsiders", ClassicGroupParityIT::commitsOfOutsiders);
        STORIES.put("fetchingOffsets", ClassicGroupParityIT::fetchingOffsets);
        STORIES.put("offsetsByTopicId", ClassicGroupParityIT::offsetsByTopicId);
        STORIES.put("fetchesByMembers", ClassicGroupParityIT::fetchesByMembers);
        STORIES.put("commitsInAllVersions", ClassicGroupParityIT::commitsInAllVersions);
        STORIES.put("deletingOffsets", ClassicGroupParityIT::deletingOffsets);
        STORIES.put("deletingOffsetsOfOtherTypes", ClassicGroupParityIT::deletingOffsetsOfOtherTypes);
        STORIES.put("deletingGroups", ClassicGroupParityIT::deletingGroups);
        STORIES.put("listing", ClassicGroupParityIT::listing);
        STORIES.put("noGroup", ClassicGroupParityIT::noGroup);
    }

    /// They wait for offsets to expire, which takes more than a minute.
    private static final Map<String, Consumer<GroupTalk>> LONG_STORIES = Map.of(
            "offsetsOfNobodyExpire", ClassicGroupParityIT::offsetsOfNobodyExpire,
            "offsetsOfAnEmptyGroupExpire", ClassicGroupParityIT::offsetsOfAnEmptyGroupExpire,
            "offsetsOfMembersStay", ClassicGroupParityIT::offsetsOfMembersStay);

    @Test
    void answersAreTheReferences(@TempDir Path folder) throws Exception {
        GroupStories.compare(folder, STORIES, SETTINGS);
    }

    @Test
    void offsetsExpireAsTheReferences(@TempDir Path folder) throws Exception {
        assumeTrue(Boolean.getBoolean("moldau.long"), "a long run");
        var settings = new ArrayList<>(SETTINGS);
        settings.addAll(QUICK_EXPIRY);
        GroupStories.compare(folder, LONG_STORIES, settings);
    }

    // ---- joining ----

    private static void whatIsWrongWithAJoin(GroupTalk it) {
        it.member("short").session(500).join();
        it.member("long").session(70_000).join();
        it.member("stranger").id("nobody").join();
        it.member("typeless").type("").join();
        it.member("typeless").version(3).type("").join();
        it.member("protocolless").version(3).protocols().join();
        it.staticMember("stranger", "instance").id("nobody").join();
        it.describe(5);
        try (var nameless = new GroupTalk("127.0.0.1:" + it.port(), "")) {
            nameless.member("a").join();
            nameless.describe(5);
            it.lines(nameless.lines());
        }
        var a = it.member("a");
        a.join();
        it.describe(5);
        a.join();
        a.sync();
        it.member("stranger").id("nobody").join();
        it.member("early").id(a.id() + "x").join();
    }

    private static void joinsInOldVersions(GroupTalk it) {
        var a = it.member("a").version(2);
        a.join();
        a.sync();
        it.describe(0);
        it.describe(3);
        a.version(0).join();
        a.sync();
        a.leave(0, a);
        var b = it.member("b").version(3);
        b.join();
        b.leave(2, b);
        it.describe(5);
    }

    private static void protocolsThatDoNotMeet(GroupTalk it) {
        var a = it.member("a").protocols("range", "roundrobin");
        a.enter();
        a.sync();
        it.member("other").protocols("sticky").enter();
        it.member("connector").type("connect").enter();
        var old = it.member("old").version(3).protocols("sticky");
        old.join();
        var b = it.member("b").protocols("sticky", "roundrobin", "range");
        b.join();
        b.startJoin();
        it.await("PreparingRebalance");
        a.beat();
        a.join();
        b.heardOfJoin();
        b.startSync("consumer", "roundrobin");
        a.startSync("consumer", "roundrobin");
        a.heardOfSync();
        b.heardOfSync();
        it.describe(5);
    }

    private static void throughAllStates(GroupTalk it) {
        it.describe(5);
        it.describe(6);
        var a = it.member("a").metadata("of a");
        a.join();
        it.describe(5);
        a.startJoin();
        it.await("PreparingRebalance");
        it.describe(5);
        a.heardOfJoin();
        it.describe(5);
        a.sync();
        it.describe(5);
        it.describe(6);
        a.beat();
        var b = it.member("b").metadata("of b");
        b.join();
        it.describe(5);
        b.startJoin();
        it.await("PreparingRebalance");
        it.describe(5);
        a.beat();
        a.join();
        b.heardOfJoin();
        it.describe(5);
        b.startSync();
        a.beat();
        a.sync();
        b.heardOfSync();
        it.describe(5);
        a.leave();
        it.describe(5);
        b.beat();
        b.leave();
        it.describe(5);
    }

    private static void whatIsWrongWithASync(GroupTalk it) {
        var nobody = it.member("nobody").id("nobody").generation(1);
        nobody.sync();
        var a = it.member("a");
        a.enter();
        nobody.sync();
        a.startSync("connect", "range");
        a.heardOfSync();
        a.startSync("consumer", "sticky");
        a.heardOfSync();
        a.generation(7);
        a.sync();
        a.generation(1);
        a.startSync(null, null);
        a.heardOfSync();
        a.sync();
        a.startSync("consumer", "sticky");
        a.heardOfSync();
        a.generation(0);
        a.sync();
        a.generation(1);
        var b = it.member("b");
        b.join();
        b.sync();
        b.startJoin();
        it.await("PreparingRebalance");
        a.sync();
        a.join();
        b.heardOfJoin();
        a.leave();
        b.sync();
        it.describe(5);
    }

    private static void beats(GroupTalk it) {
        var nobody = it.member("nobody").id("nobody").generation(1);
        nobody.beat();
        var a = it.member("a");
        a.join();
        a.beat();
        a.join();
        a.beat();
        a.sync();
        a.beat();
        nobody.beat();
        a.generation(9);
        a.beat();
        a.generation(-1);
        a.beat();
        a.generation(1);
        a.leave();
        a.beat();
        nobody.beat();
        try (var nameless = new GroupTalk("127.0.0.1:" + it.port(), "")) {
            nameless.member("a").id("a").beat();
            nameless.member("a").id("a").sync();
            nameless.member("a").id("a").leave();
            it.lines(nameless.lines());
        }
    }

    private static void noMoreThanThree(GroupTalk it) {
        var members = List.of(it.member("a"), it.member("b"), it.member("c"));
        members.forEach(Member::join);
        for (int i = 0; i < members.size(); i++) {
            members.get(i).startJoin();
            it.await(i + 1);
        }
        members.forEach(Member::heardOfJoin);
        it.member("d").join();
        it.member("old").version(3).join();
        it.staticMember("s", "instance").join();
        it.describe(5);
    }

    private static void firstRebalanceWaits(GroupTalk it) {
        var a = it.member("a");
        a.join();
        long start = System.nanoTime();
        a.startJoin();
        it.await("PreparingRebalance");
        var b = it.member("b");
        b.join();
        b.startJoin();
        a.heardOfJoin();
        b.heardOfJoin();
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        it.tell("waited", 0, tookMs >= INITIAL_DELAY_MS);
        b.startSync();
        a.sync();
        b.heardOfSync();
    }

    private static void whoDoesNotRejoinIsOut(GroupTalk it) {
        var a = it.member("a").rebalance(1_000);
        a.enter();
        a.sync();
        var b = it.member("b").rebalance(1_000);
        b.join();
        b.join();
        a.beat();
        b.sync();
        it.describe(5);
        a.join();
    }

    private static void whoIsSilentIsOut(GroupTalk it) {
        var a = it.member("a").session(1_000);
        a.enter();
        a.sync();
        it.await("Empty");
        it.describe(5);
        a.beat();
        var b = it.member("b").session(1_000);
        b.join();
        b.join();
        // Does not sync: it is out as well, and the group with it.
        it.await("Empty");
        b.sync();
    }

    private static void leaderRejoins(GroupTalk it) {
        var a = it.member("a");
        a.enter();
        a.sync();
        a.join();
        it.describe(5);
        a.sync();
        a.metadata("changed");
        a.join();
        a.sync();
        it.describe(5);
    }

    private static void followerRejoins(GroupTalk it) {
        var a = it.member("a");
        var b = it.member("b");
        together(it, a, b);
        var follower = b;
        var leader = a;
        // With nothing new it is told what it knows; with other metadata all have to come again.
        follower.join();
        it.describe(5);
        follower.metadata("changed");
        follower.startJoin();
        it.await("PreparingRebalance");
        leader.beat();
        leader.join();
        follower.heardOfJoin();
        follower.join();
        it.describe(5);
    }

    /// The first one leads.
    private static void together(GroupTalk it, Member... members) {
        members[0].enter();
        members[0].sync();
        for (int i = 1; i < members.length; i++) {
            members[i].startOrRegister();
        }
        it.await("PreparingRebalance");
        members[0].startJoin();
        for (int i = 1; i < members.length; i++) {
            members[i].heardOfJoin();
        }
        members[0].heardOfJoin();
        for (int i = 1; i < members.length; i++) {
            members[i].startSync();
        }
        members[0].sync();
        for (int i = 1; i < members.length; i++) {
            members[i].heardOfSync();
        }
    }

    private static void joinsWhileLeaderAssigns(GroupTalk it) {
        var a = it.member("a").protocols("range", "sticky");
        var b = it.member("b").protocols("range", "sticky");
        a.enter();
        a.sync();
        b.startOrRegister();
        it.await("PreparingRebalance");
        a.join();
        b.heardOfJoin();
        // With nothing new both are told the same again.
        b.join();
        a.join();
        b.protocols("sticky");
        b.startJoin();
        it.await("PreparingRebalance");
        a.sync();
        a.beat();
        a.join();
        b.heardOfJoin();
        it.describe(5);
    }

    private static void whoDoesNotSyncIsOut(GroupTalk it) {
        var a = it.member("a").rebalance(1_500);
        var b = it.member("b").rebalance(1_500);
        a.enter();
        a.sync();
        b.startOrRegister();
        it.await("PreparingRebalance");
        a.join();
        b.heardOfJoin();
        a.sync();
        it.describe(5);
        it.await("PreparingRebalance");
        b.beat();
        b.sync();
        a.join();
        it.describe(5);
    }

    private static void idsNobodyUsesExpire(GroupTalk it) {
        var a = it.member("a").session(1_000);
        a.join();
        it.describe(5);
        Await.pass(Duration.ofMillis(2_500));
        a.join();
        it.describe(5);
    }

    private static void idsCountAsMembers(GroupTalk it) {
        for (String name : List.of("a", "b", "c", "d", "e")) {
            it.member(name).join();
        }
        it.describe(5);
        it.list(5, List.of(), List.of());
        it.delete();
    }

    private static void startsAnewAfterAll(GroupTalk it) {
        var a = it.member("a");
        a.enter();
        a.sync();
        a.leave();
        a.join();
        a.id("").type("connect").protocols("eager").enter();
        it.describe(5);
        a.startSync("connect", "eager");
        a.heardOfSync();
        it.list(5, List.of(), List.of());
        a.leave();
        it.describe(5);
        it.commit("t", 1);
        it.describe(6);
    }

    private static void leaving(GroupTalk it) {
        var nobody = it.member("nobody").id("nobody");
        nobody.leave(0, nobody);
        nobody.leave(5, nobody);
        var a = it.member("a");
        a.join();
        a.leave();
        a.join();
        var b = it.member("b");
        together(it, b, it.member("c"));
        nobody.leave(1, nobody);
        nobody.leave(5, nobody);
        b.leave(4, b, nobody, b);
        it.describe(5);
    }

    // ---- static members ----

    private static void staticMembers(GroupTalk it) {
        var a = it.staticMember("a", "one");
        var b = it.staticMember("b", "two");
        together(it, a, b);
        it.describe(5);
        // A follower that comes back gets what it had, and nobody else notices.
        var again = it.staticMember("b again", "two");
        again.join();
        again.sync();
        a.beat();
        b.beat();
        b.sync();
        b.join();
        b.commit("t", 1);
        b.leave();
        it.describe(5);
        // Somebody else's instance.
        it.staticMember("thief", "two").id(a.id()).join();
        it.staticMember("thief", "two").id(a.id()).generation(a.generation()).beat();
        it.staticMember("unknown", "three")
                .id(a.id())
                .generation(a.generation())
                .beat();
        it.member("without").id(a.id()).generation(a.generation()).beat();
        again.leave(5, it.staticMember("gone", "two"));
        it.describe(5);
    }

    private static void staticMemberWithOtherProtocols(GroupTalk it) {
        var a = it.staticMember("a", "one").protocols("range", "sticky");
        var b = it.staticMember("b", "two").protocols("range", "sticky");
        together(it, a, b);
        var again = it.staticMember("b again", "two").protocols("sticky");
        again.startJoin();
        it.await("PreparingRebalance");
        a.beat();
        b.beat();
        a.join();
        again.heardOfJoin();
        it.describe(5);
    }

    private static void staticLeaderComesBack(GroupTalk it) {
        var a = it.staticMember("a", "one");
        var b = it.staticMember("b", "two");
        together(it, a, b);
        var again = it.staticMember("a again", "one");
        again.join();
        again.sync();
        it.describe(5);
        b.beat();
        var third = it.staticMember("a third", "one").version(8);
        third.join();
        third.version(5).session(30_000);
        it.describe(5);
        var other = it.staticMember("a other", "one").metadata("changed");
        other.join();
        it.describe(5);
        b.beat();
    }

    private static void staticMemberComesBackDuringRebalance(GroupTalk it) {
        var a = it.staticMember("a", "one");
        var b = it.staticMember("b", "two");
        together(it, a, b);
        b.metadata("changed");
        b.startJoin();
        it.await("PreparingRebalance");
        var again = it.staticMember("b again", "two").metadata("changed");
        again.startJoin();
        b.heardOfJoin();
        b.beat();
        a.startJoin();
        again.heardOfJoin();
        a.heardOfJoin();
        it.describe(5);
        // While the leader has not synced.
        var third = it.staticMember("b third", "two").metadata("changed");
        third.startJoin();
        it.await("PreparingRebalance");
        again.sync();
        a.beat();
        a.join();
        third.heardOfJoin();
        it.describe(5);
    }

    private static void staticLeaderWithOtherProtocols(GroupTalk it) {
        var a = it.staticMember("a", "one").protocols("range", "sticky");
        var b = it.staticMember("b", "two").protocols("range", "sticky");
        together(it, a, b);
        var again = it.staticMember("a again", "one").protocols("sticky", "range");
        again.startJoin();
        it.await("PreparingRebalance");
        a.beat();
        b.beat();
        b.join();
        again.heardOfJoin();
        again.startSync("consumer", "range");
        again.heardOfSync();
        it.describe(5);
        it.staticMember("b again", "two").protocols("cooperative").join();
        it.staticMember("b again", "two").type("connect").join();
        it.describe(5);
    }

    private static void staticMemberIsSilent(GroupTalk it) {
        var a = it.staticMember("a", "one").session(1_000);
        a.join();
        a.sync();
        // Its id is fenced when another comes, and unknown when it has been silent.
        var again = it.staticMember("a again", "one").session(1_000);
        again.join();
        a.beat();
        it.await("Empty");
        a.beat();
        again.beat();
        again.join();
        again.id("").join();
        it.describe(5);
    }

    private static void staticMemberInFirstJoin(GroupTalk it) {
        var a = it.staticMember("a", "one");
        a.startJoin();
        it.await("PreparingRebalance");
        var again = it.staticMember("a again", "one");
        again.startJoin();
        a.heardOfJoin();
        again.heardOfJoin();
        it.describe(5);
        again.sync();
        it.staticMember("a third", "one").session(1_000_000).join();
    }

    private static void manyLeaveAtOnce(GroupTalk it) {
        var a = it.staticMember("a", "one");
        var b = it.staticMember("b", "two");
        var c = it.member("c");
        together(it, a, b, c);
        var fenced = it.staticMember("fenced", "two").id("other");
        var unknown = it.staticMember("unknown", "nine");
        var byInstance = it.staticMember("by instance", "one");
        c.leave(3, fenced, unknown, c, byInstance);
        it.describe(5);
        b.leave(5, it.member("none"));
        b.leave(5);
        it.describe(5);
    }

    // ---- offsets ----

    private static void commitsOfMembers(GroupTalk it) {
        var a = it.member("a");
        a.commit("t", 1);
        a.join();
        a.generation(1);
        a.commit("t", 1);
        a.join();
        a.commit("t", 1);
        a.sync();
        a.commit("t", 2);
        a.commit("absent", 2);
        a.generation(7);
        a.commit("t", 3);
        a.generation(0);
        a.commit("t", 3);
        a.generation(-1);
        a.commit("t", 3);
        a.generation(1);
        it.member("nobody").id("nobody").generation(1).commit("t", 4);
        it.member("nobody").id("").generation(1).commit("t", 4);
        it.staticMember("a", "x").id(a.id()).generation(1).commit("t", 4);
        it.commit("a", 8, a.id(), null, 1, "t", 5, "x".repeat(5_000));
        it.commit("a", 8, a.id(), null, 1, "t", 5, null);
        it.commit("a", 2, a.id(), null, 1, "t", 6, "old");
        it.fetch(8, "t");
        var b = it.member("b");
        b.join();
        b.startJoin();
        it.await("PreparingRebalance");
        a.commit("t", 7);
        it.commit("b's other connection", 8, b.id(), null, 1, "t", 7, "m");
        a.join();
        b.heardOfJoin();
        a.commit("t", 8);
        it.fetch(8, "t");
        a.sync();
        b.sync();
        a.commit("t", 9);
        a.leave();
        a.commit("t", 10);
        it.fetch(8, "t");
    }

    private static void commitsOfOutsiders(GroupTalk it) {
        it.commit("t", 5);
        it.describe(5);
        it.commit("absent", 5);
        it.commit("admin", 8, "member", null, -1, "t", 6, "");
        it.commit("admin", 8, "", "instance", -1, "t", 7, "");
        it.commit("admin", 8, "", null, 3, "t", 8, "");
        it.fetch(8, null);
        var a = it.member("a");
        a.enter();
        it.commit("t", 9);
        a.sync();
        it.commit("t", 9);
        it.commit("admin", 8, "", null, 1, "t", 9, "");
        a.leave();
        it.commit("t", 10);
        it.commit("admin", 8, "", null, 1, "t", 11, "");
        it.fetch(8, "t");
        it.list(5, List.of(), List.of());
        try (var nameless = new GroupTalk("127.0.0.1:" + it.port(), "")) {
            nameless.commit("t", 3);
            nameless.fetch(8, "t");
            nameless.describe(5);
            nameless.deleteOffsets("t");
            nameless.delete("");
            it.lines(nameless.lines());
        }
    }

    private static void fetchingOffsets(GroupTalk it) {
        for (int version : List.of(1, 2, 5, 7, 8, 9)) {
            it.fetch(version, "t");
        }
        it.fetch(2, null);
        it.fetch(8, null);
        it.commit("t", 5);
        it.commit("u", 6);
        for (int version : List.of(1, 2, 5, 7, 8, 9)) {
            it.fetch(version, "t");
        }
        it.fetch(2, null);
        it.fetch(9, null);
        it.fetch(8, "absent");
    }

    private static void offsetsByTopicId(GroupTalk it) {
        it.commit("t", 5);
        it.fetchById("t");
        it.fetchById("absent");
        it.commitById("t", 7);
        it.commitById("absent", 7);
        it.fetchById("t");
        it.fetch(9, null);
    }

    private static void fetchesByMembers(GroupTalk it) {
        it.commit("t", 5);
        var a = it.member("a");
        a.enter();
        a.sync();
        a.commit("t", 6);
        it.fetchAs(a.id(), 1, "t");
        it.fetchAs(a.id(), 7, "t");
        it.fetchAs("nobody", 1, "t");
        it.fetchAs("nobody", -1, "t");
        it.fetchAs("", -1, "t");
    }

    private static void commitsInAllVersions(GroupTalk it) {
        for (int version = 2; version <= 9; version++) {
            it.commit("outsider", version, "", null, -1, "t", version, "v" + version);
            it.fetch(8, "t");
        }
        it.commit("outsider", 9, "", null, 5, "t", 20, "");
        it.commit("outsider", 8, "", null, -1, "t", -1, "");
        it.commit("outsider", 8, "", null, -1, "t", -5, "");
        it.fetch(8, "t");
        it.commit("outsider", 8, "", null, -1, "bad name", 5, "");
        it.commit("outsider", 8, "", null, -1, "", 5, "");
    }

    private static void deletingOffsets(GroupTalk it) {
        it.deleteOffsets("t");
        it.commit("t", 5);
        it.commit("u", 6);
        it.deleteOffsets("absent");
        it.deleteOffsets("u");
        it.fetch(8, null);
        var a = it.member("a").subscribed("t");
        a.enter();
        a.sync();
        a.commit("u", 7);
        it.deleteOffsets("t", "u");
        it.fetch(8, null);
        a.leave();
        it.deleteOffsets("t");
        it.fetch(8, null);
        it.describe(5);
        it.describe(6);
    }

    private static void deletingOffsetsOfOtherTypes(GroupTalk it) {
        it.commit("t", 5);
        var a = it.member("a").type("connect").protocols("eager");
        a.enter();
        it.deleteOffsets("t");
        a.sync();
        it.deleteOffsets("t");
        a.leave();
        it.deleteOffsets("t");
        it.describe(5);
    }

    private static void deletingGroups(GroupTalk it) {
        it.delete();
        it.commit("t", 5);
        it.delete();
        it.delete();
        var a = it.member("a");
        a.join();
        it.delete();
        a.join();
        a.enter();
        it.delete();
        a.sync();
        a.commit("t", 5);
        it.delete();
        a.leave();
        it.describe(5);
        it.delete(it.group(), "absent", it.group());
        it.describe(5);
        it.fetch(8, "t");
        a.beat();
    }

    private static void listing(GroupTalk it) {
        it.list(5, List.of(), List.of());
        it.commit("t", 5);
        it.list(5, List.of(), List.of());
        var a = it.member("a");
        a.join();
        it.list(5, List.of(), List.of());
        a.join();
        it.list(5, List.of("CompletingRebalance"), List.of());
        a.sync();
        for (int version : List.of(0, 2, 3)) {
            it.list(version, List.of(), List.of());
        }
        it.list(4, List.of("Stable"), List.of());
        it.list(4, List.of("stable", "Empty"), List.of());
        it.list(4, List.of("Empty"), List.of());
        it.list(4, List.of("nonsense"), List.of());
        it.list(5, List.of(), List.of("classic"));
        it.list(5, List.of(), List.of("Classic", "consumer"));
        it.list(5, List.of("Stable"), List.of("consumer"));
        it.list(5, List.of(), List.of("nonsense"));
        a.leave();
        it.list(5, List.of(), List.of());
        it.list(5, List.of("Dead"), List.of());
    }

    private static void noGroup(GroupTalk it) {
        var nobody = it.member("nobody").id("nobody").generation(1);
        nobody.beat();
        nobody.sync();
        nobody.leave();
        nobody.commit("t", 1);
        nobody.generation(-1).commit("t", 1);
        it.describe(0);
        it.describe(4);
        it.describe(5);
        it.describe(6);
        it.delete("absent");
    }

    // ---- the long ones ----

    private static final Duration A_MINUTE_AND_MORE = Duration.ofSeconds(75);

    private static void offsetsOfNobodyExpire(GroupTalk it) {
        it.commit("t", 5);
        Await.pass(Duration.ofSeconds(40));
        it.commit("u", 6);
        it.fetch(8, null);
        Await.pass(Duration.ofSeconds(35));
        it.fetch(8, null);
        Await.pass(Duration.ofSeconds(40));
        it.fetch(8, null);
        it.describe(6);
    }

    private static void offsetsOfAnEmptyGroupExpire(GroupTalk it) {
        var a = it.member("a").subscribed("t");
        a.enter();
        a.sync();
        a.commit("t", 5);
        a.commit("u", 6);
        Await.pass(Duration.ofSeconds(15));
        a.leave();
        // From when the group became empty, not from when it was committed.
        Await.pass(Duration.ofSeconds(50));
        it.fetch(8, null);
        Await.pass(Duration.ofSeconds(25));
        it.fetch(8, null);
        it.describe(6);
    }

    private static void offsetsOfMembersStay(GroupTalk it) {
        var a = it.member("a").subscribed("t").session(60_000);
        a.enter();
        a.sync();
        a.commit("t", 5);
        a.commit("u", 6);
        Await.pass(Duration.ofSeconds(40));
        a.beat();
        Await.pass(A_MINUTE_AND_MORE.minusSeconds(40));
        a.beat();
        it.fetch(8, null);
        it.describe(5);
    }
}
