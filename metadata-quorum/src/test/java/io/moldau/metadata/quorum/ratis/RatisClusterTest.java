package io.moldau.metadata.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.op.Bootstrap;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.quorum.QuorumDescription;
import io.moldau.metadata.quorum.QuorumListener;
import io.moldau.metadata.quorum.QuorumMetrics;
import io.moldau.metadata.quorum.Voter;
import io.moldau.metadata.quorum.transport.InMemoryRaftNetwork;
import io.moldau.metadata.quorum.transport.RaftMessage;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.MetadataBatch;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Quorums of several voters: how they grow and shrink, and how voters that were away or lost their log come back.
class RatisClusterTest {

    private static final Time TIME = new SystemTime();
    private static final Uuid CLUSTER = new Uuid(21, 22);
    private static final long WAIT_SECONDS = 60;
    private static final Map<String, String> PURGES_EVERYTHING = Map.of(
            "raft.server.log.segment.size.max", "64KB",
            "raft.server.log.preallocated.size", "16KB",
            "raft.server.log.purge.gap", "1",
            "raft.server.log.purge.preservation.log.num", "0");

    @TempDir
    Path root;

    private final FaultHandler.Recording faults = new FaultHandler.Recording();
    private final InMemoryRaftNetwork network = new InMemoryRaftNetwork();
    private final Map<Integer, Member> members = new ConcurrentSkipListMap<>();

    private static final class Member implements QuorumListener {
        private final Voter self;
        private final RatisQuorum quorum;
        private volatile int readyIn = -1;

        Member(Voter self, RatisQuorum quorum) {
            this.self = self;
            this.quorum = quorum;
        }

        @Override
        public void onLeaderReady(int epoch) {
            readyIn = epoch;
        }

        @Override
        public void onLeadershipLost() {}

        @Override
        public void onLeaderChanged(int leaderId) {}

        boolean leads() {
            var state = quorum.state();
            return state.leading() && state.epoch() == readyIn;
        }

        long position() {
            return quorum.applied().position().index();
        }

        @Nullable
        String config(String key) {
            return quorum.applied()
                    .image()
                    .configs()
                    .overrides(ConfigResource.brokerDefault())
                    .get(key);
        }
    }

    @AfterEach
    void close() {
        List.copyOf(members.keySet()).forEach(this::stop);
    }

    private void stop(int id) {
        network.detach(id);
        Member member = members.remove(id);
        if (member != null) {
            member.quorum.close();
        }
    }

    private Path directory(int id) {
        return root.resolve("n" + id);
    }

    private QuorumDirectory open(int id) throws IOException {
        return QuorumDirectory.open(directory(id), id, CLUSTER, new SplittableRandom(TIME.nanoseconds()));
    }

    private static Voter voter(int id, Uuid directoryId) {
        return new Voter(id, directoryId, InMemoryRaftNetwork.host(id), InMemoryRaftNetwork.port());
    }

    private Member start(int id, QuorumDirectory opened, Voter self, List<Voter> voters, Map<String, String> raft)
            throws IOException {
        var config = new RatisQuorumConfig(
                opened.raftDirectory(), CLUSTER, self, voters, 500, 1000, 20 << 20, 3_600_000, raft);
        var quorum = new RatisQuorum(config, opened, network.from(id), TIME, QuorumMetrics.NONE, faults);
        var member = new Member(self, quorum);
        members.put(id, member);
        network.attach(id, quorum.requests());
        quorum.start(member);
        return member;
    }

    /// A voter of a list that is fixed, without directory ids.
    private Member startFixed(int id, int count, Map<String, String> raft) throws IOException {
        var voters = new ArrayList<Voter>();
        for (int voter = 1; voter <= count; voter++) {
            voters.add(voter(voter, Uuid.ZERO));
        }
        return start(id, open(id), voters.get(id - 1), voters, raft);
    }

    /// A controller of a quorum that can change.
    private Member startDynamic(int id, boolean first, Map<String, String> raft) throws IOException {
        QuorumDirectory opened = open(id);
        Voter self = voter(id, opened.directoryId());
        return start(id, opened, self, first ? List.of(self) : List.of(), raft);
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = TIME.nanoseconds() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(TIME.nanoseconds()).as(what).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private Member leader() throws InterruptedException {
        var found = new AtomicReference<@Nullable Member>();
        await("a leader is ready", () -> {
            found.set(
                    members.values().stream().filter(Member::leads).findFirst().orElse(null));
            return found.get() != null;
        });
        return Objects.requireNonNull(found.get());
    }

    private static MetadataBatch batch(int epoch, List<MetadataRecord> records) {
        return MetadataBatch.newBuilder()
                .setEpoch(epoch)
                .setControllerId(1)
                .setCreatedMs(1)
                .addAllRecords(records)
                .build();
    }

    private void bootstrap() throws Exception {
        Member leader = leader();
        leader.quorum
                .append(batch(
                        leader.readyIn,
                        Bootstrap.records(CLUSTER, ControllerSettings.DEFAULTS, new SplittableRandom(1))))
                .get(WAIT_SECONDS, TimeUnit.SECONDS);
    }

    /// @return whether it was acknowledged
    private boolean write(Member leader, String key, String value) throws Exception {
        try {
            leader.quorum
                    .append(batch(
                            leader.readyIn,
                            List.of(MetadataRecords.of(ConfigRecord.newBuilder()
                                    .setResourceType(ConfigResource.Type.BROKER.code())
                                    .setName(key)
                                    .setValue(value)
                                    .build()))))
                    .get(WAIT_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            return false;
        }
    }

    private void write(String key, String value) throws Exception {
        while (!write(leader(), key, value)) {
            Thread.onSpinWait();
        }
    }

    private void awaitEqual() throws Exception {
        long end = leader().position();
        for (Member member : members.values()) {
            await("node " + member.self.nodeId() + " has everything", () -> member.position() >= end);
            assertThat(member.quorum
                            .applied()
                            .image()
                            .sameContents(leader().quorum.applied().image()))
                    .as("image of node " + member.self.nodeId())
                    .isTrue();
        }
    }

    // ---- Growing and shrinking.

    private void add(Member member) throws Exception {
        change(() -> leader().quorum.addVoter(member.self, 30_000).get(WAIT_SECONDS, TimeUnit.SECONDS));
        assertThat(leader().quorum.state().voters()).extracting(Voter::key).contains(member.self.key());
    }

    private void remove(Member member) throws Exception {
        change(() -> leader().quorum
                .removeVoter(member.self.nodeId(), member.self.directoryId(), 30_000)
                .get(WAIT_SECONDS, TimeUnit.SECONDS));
        assertThat(leader().quorum.state().voters()).extracting(Voter::key).doesNotContain(member.self.key());
        await("node " + member.self.nodeId() + " knows that it is no voter", member.quorum::isObserver);
    }

    private interface Change {
        void run() throws Exception;
    }

    /// As whoever forwards such a request: asks again when it asked a controller that is not active.
    private static void change(Change change) throws Exception {
        for (int i = 0; ; i++) {
            try {
                change.run();
                return;
            } catch (ExecutionException e) {
                if (i == 20 || !(e.getCause() instanceof ApiException api) || api.error() != Errors.NOT_CONTROLLER) {
                    throw e;
                }
            }
        }
    }

    private Member member(int id) {
        return Objects.requireNonNull(members.get(id), "no such member");
    }

    private static void assertRefused(Errors error, Change change) {
        assertThatThrownBy(change::run)
                .isInstanceOf(ExecutionException.class)
                .satisfies(failure -> assertThat(failure.getCause())
                        .isInstanceOfSatisfying(
                                ApiException.class,
                                cause -> assertThat(cause.error()).isEqualTo(error)));
    }

    @Test
    void aQuorumGrowsAndShrinksUnderWrites() throws Exception {
        startDynamic(1, true, Map.of());
        bootstrap();
        var acknowledged = new ConcurrentLinkedQueue<String>();
        var stop = new AtomicBoolean();
        var writer = new Thread(() -> {
            try {
                for (int i = 0; !stop.get(); i++) {
                    write("key-" + i, "value");
                    acknowledged.add("key-" + i);
                }
            } catch (Exception | AssertionError e) {
                faults.handle("writer", e);
            }
        });
        writer.start();
        try {
            for (int id = 2; id <= 5; id++) {
                Member joining = startDynamic(id, false, Map.of());
                assertThat(joining.quorum.isObserver()).isTrue();
                add(joining);
                await("node " + id + " is a voter", () -> !joining.quorum.isObserver());
                int before = acknowledged.size();
                await("writes go on", () -> acknowledged.size() > before + 5);
            }
            assertRefused(
                    Errors.DUPLICATE_VOTER,
                    () -> leader().quorum
                            .addVoter(voter(2, new Uuid(7, 7)), 30_000)
                            .get(WAIT_SECONDS, TimeUnit.SECONDS));
            assertRefused(
                    Errors.VOTER_NOT_FOUND,
                    () -> leader().quorum.removeVoter(2, new Uuid(7, 7), 30_000).get(WAIT_SECONDS, TimeUnit.SECONDS));
            // The leader among them hands over first.
            int former = leader().self.nodeId();
            remove(member(former));
            int another = former == 5 ? 4 : 5;
            remove(member(another));
            assertThat(leader().quorum.state().voters()).hasSize(3);
            add(member(former));
            await("the removed one is back", () -> !member(former).quorum.isObserver());
        } finally {
            stop.set(true);
            writer.join();
        }
        assertThat(faults.faults()).isEmpty();
        stop(leader().self.nodeId());
        Member last = leader();
        for (String key : acknowledged) {
            assertThat(last.config(key)).as(key).isEqualTo("value");
        }
        QuorumDescription description = last.quorum.describe();
        assertThat(description.voters()).hasSize(4);
        assertThat(description.leaderId()).isEqualTo(last.self.nodeId());
        assertThat(description.voters())
                .filteredOn(voter -> voter.nodeId() == last.self.nodeId())
                .allMatch(voter -> voter.logEndOffset() >= description.highWatermark());
    }

    /// Brokers and tools ask a controller at any time, also while Ratis opens the log of one that becomes a voter.
    @Test
    void aControllerThatBecomesAVoterCanBeAskedAllTheTime() throws Exception {
        startDynamic(1, true, Map.of());
        bootstrap();
        write("key", "value");
        for (int id = 2; id <= 5; id++) {
            Member joining = startDynamic(id, false, Map.of());
            var stop = new AtomicBoolean();
            var asking = new Thread(() -> {
                try {
                    while (!stop.get()) {
                        joining.quorum.termAt(0);
                        joining.quorum.readLog(0, 1_000);
                        joining.quorum.state();
                        joining.quorum.describe();
                    }
                } catch (IOException | RuntimeException e) {
                    faults.handle("asking", e);
                }
            });
            asking.start();
            try {
                add(joining);
                await("node " + id + " is a voter", () -> !joining.quorum.isObserver());
            } finally {
                stop.set(true);
                asking.join();
            }
        }
        assertThat(faults.faults()).isEmpty();
    }

    /// Whoever is removed may be invited again before it has noticed: then it must not leave after all.
    @Test
    void aVoterThatIsRemovedAndAddedAtOnceIsOne() throws Exception {
        startDynamic(1, true, Map.of());
        bootstrap();
        for (int id = 2; id <= 3; id++) {
            add(startDynamic(id, false, Map.of()));
        }
        Member third = member(3);
        for (int round = 0; round < 6; round++) {
            change(() -> leader().quorum
                    .removeVoter(3, third.self.directoryId(), 30_000)
                    .get(WAIT_SECONDS, TimeUnit.SECONDS));
            add(third);
            await("it is a voter", () -> !third.quorum.isObserver());
        }
        // It is one of the two that a majority needs.
        stop(2);
        write("with-it", "value");
        awaitEqual();
        assertThat(faults.faults()).isEmpty();
    }

    /// It has a log in which it is a voter, and must not stand for election with it: the others would tell it to go.
    @Test
    void aFounderThatHasLeftIsInvitedAgain() throws Exception {
        Member founder = startDynamic(1, true, Map.of());
        bootstrap();
        for (int id = 2; id <= 3; id++) {
            add(startDynamic(id, false, Map.of()));
        }
        for (int round = 0; round < 4; round++) {
            remove(founder);
            await("it has noticed", founder.quorum::isObserver);
            write("round-" + round, "value");
            add(founder);
            await("it is a voter", () -> !founder.quorum.isObserver());
        }
        awaitEqual();
        assertThat(faults.faults()).isEmpty();
    }

    @Test
    void aControllerThatDoesNotAnswerIsNotAdded() throws Exception {
        Member first = startDynamic(1, true, Map.of());
        bootstrap();
        assertRefused(
                Errors.REQUEST_TIMED_OUT,
                () -> first.quorum.addVoter(voter(2, new Uuid(2, 2)), 30_000).get(WAIT_SECONDS, TimeUnit.SECONDS));
        startDynamic(2, false, Map.of());
        assertRefused(
                Errors.INVALID_VOTER_KEY,
                () -> first.quorum.addVoter(voter(2, new Uuid(2, 2)), 30_000).get(WAIT_SECONDS, TimeUnit.SECONDS));
        write("still", "alone");
        assertThat(first.quorum.state().voters()).hasSize(1);
    }

    @Test
    void fixedVotersStayFixed() throws Exception {
        startFixed(1, 1, Map.of());
        bootstrap();
        assertRefused(
                Errors.UNSUPPORTED_VERSION,
                () -> leader().quorum.addVoter(voter(2, new Uuid(2, 2)), 30_000).get(WAIT_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void aVoterThatJoinedIsOneAfterItsRestart() throws Exception {
        startDynamic(1, true, Map.of());
        bootstrap();
        for (int id = 2; id <= 3; id++) {
            add(startDynamic(id, false, Map.of()));
        }
        write("a", "1");
        awaitEqual();
        for (int id = 1; id <= 3; id++) {
            stop(id);
        }
        startDynamic(1, true, Map.of());
        startDynamic(2, false, Map.of());
        startDynamic(3, false, Map.of());
        write("b", "2");
        awaitEqual();
        assertThat(leader().quorum.state().voters()).hasSize(3);
        assertThat(members.values()).noneMatch(member -> member.quorum.isObserver());
    }

    // ---- Coming back.

    /// RATIS-2523: the leader has nothing to send, and takes the follower's word for what it once confirmed.
    @Test
    void aVoterThatLostItsLogIsBroughtBackByAnIdleLeader() throws Exception {
        for (int id = 1; id <= 3; id++) {
            startFixed(id, 3, Map.of());
        }
        bootstrap();
        for (int i = 0; i < 20; i++) {
            write("key-" + i, "value");
        }
        awaitEqual();
        int lost = leader().self.nodeId() == 3 ? 2 : 3;
        stop(lost);
        delete(directory(lost));
        startFixed(lost, 3, Map.of());
        awaitEqual();
        assertThat(faults.faults()).isEmpty();
    }

    /// RATIS-1241: nothing is left of the log that the follower needs. RATIS-1305: having installed the snapshot, it
    /// gets entries again. RATIS-2507: its own log ends before the snapshot when it starts again.
    @Test
    void aVoterThatWasAwayWhileTheLogWasPurgedComesBackBySnapshot() throws Exception {
        int away = startThreeOfWhichOneNeedsASnapshot(PURGES_EVERYTHING);
        startFixed(away, 3, PURGES_EVERYTHING);
        awaitEqual();
        assertThat(network.sent(RaftMessage.SNAPSHOT)).isPositive();

        stop(away);
        startFixed(away, 3, PURGES_EVERYTHING);
        write("late", "value");
        awaitEqual();
        // It counts: with it and one other there is a leader.
        stop(leader().self.nodeId());
        write("last", "value");
        awaitEqual();
        assertThat(faults.faults()).isEmpty();
    }

    /// @return who is stopped, and misses entries that the others have in their snapshot only
    private int startThreeOfWhichOneNeedsASnapshot(Map<String, String> raft) throws Exception {
        for (int id = 1; id <= 3; id++) {
            startFixed(id, 3, raft);
        }
        bootstrap();
        write("early", "value");
        awaitEqual();
        int away = leader().self.nodeId() == 3 ? 2 : 3;
        stop(away);
        for (int i = 0; i < 200; i++) {
            write("key-" + i % 20, "x".repeat(2000) + i);
        }
        for (Member member : members.values()) {
            await("it follows", () -> member.config("key-19") != null);
            member.quorum.takeSnapshot().get(WAIT_SECONDS, TimeUnit.SECONDS);
            await("the log is purged", () -> isPurged(member));
        }
        return away;
    }

    private static boolean isPurged(Member member) {
        try {
            return member.quorum.readLog(1, 1000) == null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Only the one that was alone can lead, since the other lacks entries; it must not be late to ask for the vote.
    @Test
    void theVoterWithTheLongerLogLeadsWhenAnotherComesBack() throws Exception {
        for (int id = 1; id <= 3; id++) {
            startFixed(id, 3, Map.of());
        }
        bootstrap();
        Member ahead = leader();
        int behind = ahead.self.nodeId() == 3 ? 2 : 3;
        int last = 6 - behind - ahead.self.nodeId();
        stop(behind);
        write("only-with-two", "value");
        stop(last);
        await("it cannot lead alone", () -> !ahead.quorum.state().leading());
        startFixed(behind, 3, Map.of());
        await("it leads again", ahead::leads);
        write("after", "value");
        awaitEqual();
        assertThat(member(behind).config("only-with-two")).isEqualTo("value");
    }

    /// A deposed leader that does not know it yet cannot complete a write.
    @Test
    void aLeaderThatIsCutOffCompletesNothing() throws Exception {
        for (int id = 1; id <= 3; id++) {
            startFixed(id, 3, Map.of());
        }
        bootstrap();
        Member old = leader();
        int epoch = old.readyIn;
        network.isolate(old.self.nodeId());
        var lost = old.quorum.append(batch(
                epoch,
                List.of(MetadataRecords.of(ConfigRecord.newBuilder()
                        .setResourceType(ConfigResource.Type.BROKER.code())
                        .setName("lost")
                        .setValue("value")
                        .build()))));
        await("the others elect another", () -> members.values().stream().anyMatch(m -> m != old && m.leads()));
        assertThatThrownBy(() -> lost.get(WAIT_SECONDS, TimeUnit.SECONDS))
                .isInstanceOfAny(ExecutionException.class, TimeoutException.class);
        Member next = members.values().stream()
                .filter(member -> member != old && member.leads())
                .findFirst()
                .orElseThrow();
        assertThat(write(next, "kept", "value")).isTrue();
        network.heal();
        await("the old one follows", () -> "value".equals(old.config("kept")));
        assertThat(old.config("lost")).isNull();
        assertThat(next.config("lost")).isNull();
    }

    // ---- Snapshots that are cut off.

    /// What ends the transfer of a snapshot in its midst.
    private enum Cut {
        CONNECTION,
        FOLLOWER,
        LEADER,
        /// It is installed, but the leader does not hear of it.
        LAST_ANSWER
    }

    @ParameterizedTest
    @EnumSource(Cut.class)
    void aSnapshotThatIsCutOffIsInstalledAfterAll(Cut cut) throws Exception {
        var raft = new HashMap<>(PURGES_EVERYTHING);
        raft.put("raft.server.log.appender.snapshot.chunk.size.max", "4KB");
        int away = startThreeOfWhichOneNeedsASnapshot(raft);
        int leader = leader().self.nodeId();
        var pieces = new AtomicInteger();
        network.lose(message -> message.kind() == RaftMessage.SNAPSHOT
                && (cut == Cut.LAST_ANSWER
                        ? message.from().equals(InMemoryRaftNetwork.host(away)) && hasSnapshot(away)
                        : message.to().equals(InMemoryRaftNetwork.host(away)) && pieces.incrementAndGet() > 3));
        startFixed(away, 3, raft);
        await("the snapshot is on its way", () -> cut == Cut.LAST_ANSWER ? hasSnapshot(away) : pieces.get() > 3);
        assertThat(hasSnapshot(away)).isEqualTo(cut == Cut.LAST_ANSWER);
        network.heal();
        switch (cut) {
            case CONNECTION, LAST_ANSWER -> network.breakConnections(away);
            case FOLLOWER -> {
                stop(away);
                startFixed(away, 3, raft);
            }
            case LEADER -> stop(leader);
        }
        write("after", "value");
        awaitEqual();
        if (cut == Cut.LEADER) {
            startFixed(leader, 3, raft);
            awaitEqual();
        }
        assertThat(member(away).config("early")).isEqualTo("value");
        assertThat(member(away).config("key-19")).endsWith("199");
        stop(away);
        startFixed(away, 3, raft);
        awaitEqual();
        assertThat(transfersLeftOn(away)).isEmpty();
        assertThat(faults.faults()).isEmpty();
    }

    private List<Path> transfersLeftOn(int id) throws IOException {
        try (var files = Files.walk(directory(id))) {
            return files.filter(file -> file.getFileName().toString().startsWith("snapshot-"))
                    .toList();
        }
    }

    private boolean hasSnapshot(int id) {
        try (var files = Files.walk(directory(id))) {
            return files.anyMatch(file -> file.toString().contains("/sm/snapshot."));
        } catch (IOException | UncheckedIOException e) {
            return false; // it is being renamed
        }
    }

    // ---- Disks that fail.

    private static SickDisk diskOf(Member member) throws Exception {
        RaftServer server = member.quorum.server();
        return SickDisk.under(
                server.getDivision(server.getGroupIds().iterator().next()).getRaftLog());
    }

    private enum Full {
        LEADER,
        FOLLOWER,
        /// The next segment of its log cannot be made.
        LEADER_AT_THE_END_OF_A_SEGMENT
    }

    /// The process has to end: Ratis by itself would never write that log again, whatever becomes of the disk.
    @ParameterizedTest
    @EnumSource(Full.class)
    void aVoterWhoseDiskIsFullReportsItAndTheOthersGoOn(Full full) throws Exception {
        for (int id = 1; id <= 3; id++) {
            startFixed(id, 3, PURGES_EVERYTHING);
        }
        bootstrap();
        write("before", "value");
        awaitEqual();
        Member leader = leader();
        Member sick = full == Full.FOLLOWER
                ? members.values().stream().filter(m -> m != leader).findFirst().orElseThrow()
                : leader;
        int id = sick.self.nodeId();
        if (full == Full.LEADER_AT_THE_END_OF_A_SEGMENT) {
            noNextSegment(id);
        } else {
            diskOf(sick).runFull();
        }
        int written = 0;
        for (; faults.faults().isEmpty(); written++) {
            write("key-" + written, "x".repeat(2000));
            assertThat(written).as("entries in a segment of 64 KB").isLessThan(100);
        }
        assertThat(faults.faults())
                .allSatisfy(fault -> assertThat(fault.where()).isEqualTo("writing the metadata log"));
        stop(id);
        write("without", "value");
        // Space was made.
        for (Path segment : missingSegments(id)) {
            Files.delete(segment);
        }
        startFixed(id, 3, PURGES_EVERYTHING);
        write("after", "value");
        awaitEqual();
        for (String key : List.of("before", "without", "after")) {
            assertThat(member(id).config(key)).as(key).isEqualTo("value");
        }
        for (int i = 0; i < written; i++) {
            assertThat(member(id).config("key-" + i)).as("key-" + i).isNotNull();
        }
    }

    /// Every name that the next segment can have is one that cannot be opened, and that does not seem to be there.
    private void noNextSegment(int id) throws IOException {
        try (var files = Files.walk(directory(id))) {
            Path current = files.filter(file -> file.getFileName().toString().equals("current"))
                    .findFirst()
                    .orElseThrow();
            for (int index = 1; index < 200; index++) {
                Path segment = current.resolve("log_inprogress_" + index);
                if (!Files.exists(segment)) {
                    Files.createSymbolicLink(segment, root.resolve("nowhere/" + index));
                }
            }
        }
    }

    private List<Path> missingSegments(int id) throws IOException {
        try (var files = Files.walk(directory(id))) {
            return files.filter(Files::isSymbolicLink).toList();
        }
    }

    /// Ratis' leader commits nothing that is not on its own disk, and goes on with its heartbeats. All of the directory
    /// hangs, as a whole disk does.
    @Test
    void aLeaderWhoseFsyncHangsHandsOver() throws Exception {
        // So that its queue is full soon, as with the default after thousands of batches.
        var raft = Map.of("raft.server.log.queue.element-limit", "8");
        for (int id = 1; id <= 3; id++) {
            startFixed(id, 3, raft);
        }
        bootstrap();
        awaitEqual();
        Member sick = leader();
        int id = sick.self.nodeId();
        Path written = directory(id).resolve("commit.mark.tmp");
        await("no mark is being written", () -> !Files.exists(written));
        mkfifo(written);
        write("before", "value");
        SickDisk disk = diskOf(sick);
        disk.hang();
        try {
            long hung = TIME.nanoseconds();
            write("first", "value");
            assertThat(TIME.nanoseconds() - hung).as("time without writes").isLessThan(TimeUnit.SECONDS.toNanos(20));
            assertThat(disk.isHanging()).isTrue();
            assertThat(sick.leads()).isFalse();
            for (int i = 0; i < 40; i++) {
                write("key-" + i, "value");
            }
            assertThat(faults.faults()).isEmpty();
        } finally {
            disk.resume();
            // Lets the one who opened it go on, to fail at the fsync, which a pipe refuses.
            Files.newInputStream(written).close();
            Files.delete(written);
        }
        await("the mark was not stored", () -> !faults.faults().isEmpty());
        assertThat(faults.faults())
                .allSatisfy(
                        fault -> assertThat(fault.where()).isEqualTo("storing the commit mark of the metadata log"));
        stop(id);
        startFixed(id, 3, raft);
        awaitEqual();
        for (String key : List.of("before", "first", "key-39")) {
            assertThat(member(id).config(key)).as(key).isEqualTo("value");
        }
    }

    /// Whoever opens it to write waits until somebody reads.
    private static void mkfifo(Path path) throws Exception {
        Process process =
                new ProcessBuilder("mkfifo", path.toString()).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }

    // ---- Long outages.

    private enum Outage {
        PROCESSES,
        NETWORK
    }

    /// Minutes are counted in elections that come to nothing: what could grow with them is the time until the next.
    @ParameterizedTest
    @EnumSource(Outage.class)
    void aQuorumThatWasDownForManyElectionsComesBack(Outage outage) throws Exception {
        for (int id = 1; id <= 3; id++) {
            startFixed(id, 3, Map.of());
        }
        bootstrap();
        int ahead = leader().self.nodeId();
        int behind = ahead == 3 ? 2 : 3;
        int last = 6 - behind - ahead;
        stop(behind);
        write("only-with-two", "value");
        awaitEqual();
        stop(ahead);
        stop(last);
        var hasty = Map.of("raft.server.rpc.timeout.min", "100ms", "raft.server.rpc.timeout.max", "200ms");
        network.isolate(ahead);
        startFixed(ahead, 3, hasty);
        if (outage == Outage.NETWORK) {
            network.isolate(last);
            startFixed(last, 3, hasty);
        } else {
            network.heal();
        }
        await("many elections failed", () -> {
            assertThat(members.values()).noneMatch(Member::leads);
            return network.sent(RaftMessage.VOTE) > 200;
        });
        network.heal();
        long back = TIME.nanoseconds();
        startFixed(behind, 3, Map.of());
        write("after", "value");
        assertThat(TIME.nanoseconds() - back).as("time to come back").isLessThan(TimeUnit.SECONDS.toNanos(10));
        if (outage == Outage.PROCESSES) {
            startFixed(last, 3, Map.of());
        }
        awaitEqual();
        assertThat(member(behind).config("only-with-two")).isEqualTo("value");
        assertThat(faults.faults()).isEmpty();
    }

    private static void delete(Path path) throws IOException {
        try (var files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
