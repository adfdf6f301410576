package io.moldau.metadata.quorum.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.op.Bootstrap;
import io.moldau.metadata.image.ConfigResource;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.quorum.Applied;
import io.moldau.metadata.quorum.LeadershipLostException;
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
import java.io.RandomAccessFile;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.statemachine.TransactionContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/// The quorum on Ratis itself, with real files and a network in memory.
class RatisQuorumTest {

    private static final Time TIME = new SystemTime();
    private static final Uuid CLUSTER = new Uuid(11, 12);
    private static final long WAIT_SECONDS = 30;
    private static final Map<String, String> PATIENT =
            Map.of("raft.server.rpc.timeout.min", "60s", "raft.server.rpc.timeout.max", "90s");

    /// Neither elects anybody by itself in the beginning.
    private static final Map<String, String> WAITING = Map.of(
            "raft.server.rpc.timeout.min", "60s",
            "raft.server.rpc.timeout.max", "90s",
            "raft.server.rpc.first-election.timeout.min", "60s",
            "raft.server.rpc.first-election.timeout.max", "90s");

    @TempDir
    Path root;

    private final FaultHandler.Recording faults = new FaultHandler.Recording();
    private final List<Member> open = new ArrayList<>();
    private final InMemoryRaftNetwork network = new InMemoryRaftNetwork();

    /// A voter, with what it was told.
    private static final class Member implements QuorumListener {
        private final int nodeId;
        private final RatisQuorum quorum;
        private final BlockingQueue<Integer> ready = new LinkedBlockingQueue<>();
        private final AtomicInteger fenced;

        Member(int nodeId, RatisQuorum quorum, AtomicInteger fenced) {
            this.nodeId = nodeId;
            this.quorum = quorum;
            this.fenced = fenced;
        }

        @Override
        public void onLeaderReady(int epoch) {
            ready.add(epoch);
        }

        @Override
        public void onLeadershipLost() {}

        @Override
        public void onLeaderChanged(int leaderId) {}

        int awaitReady() throws InterruptedException {
            Integer epoch = ready.poll(WAIT_SECONDS, TimeUnit.SECONDS);
            assertThat(epoch).as("epoch of the ready leader").isNotNull();
            return epoch;
        }

        Applied append(int epoch, MetadataRecord... records) throws Exception {
            return quorum.append(batch(epoch, records)).get(WAIT_SECONDS, TimeUnit.SECONDS);
        }

        MetadataImage image() {
            return quorum.applied().image();
        }
    }

    @AfterEach
    void close() {
        List.copyOf(open).forEach(this::stop);
    }

    private void stop(Member member) {
        network.detach(member.nodeId);
        member.quorum.close();
        open.remove(member);
    }

    private Member start(Path directory, Map<String, String> raft) throws IOException {
        QuorumDirectory opened = QuorumDirectory.open(directory, 1, CLUSTER, new SplittableRandom(3));
        var self = new Voter(1, opened.directoryId(), "", 0);
        return start(opened, self, List.of(self), raft);
    }

    private Member start(QuorumDirectory directory, Voter self, List<Voter> voters, Map<String, String> raft)
            throws IOException {
        var config = new RatisQuorumConfig(
                directory.raftDirectory(), CLUSTER, self, voters, 500, 1000, 20 << 20, 3_600_000, raft);
        var fenced = new AtomicInteger();
        var metrics = new QuorumMetrics() {
            @Override
            public void fenced() {
                fenced.incrementAndGet();
            }
        };
        var quorum = new RatisQuorum(config, directory, network.from(self.nodeId()), TIME, metrics, faults);
        var member = new Member(self.nodeId(), quorum, fenced);
        open.add(member);
        network.attach(self.nodeId(), quorum.requests());
        member.quorum.start(member);
        return member;
    }

    private Member start(Path directory) throws IOException {
        return start(directory, Map.of());
    }

    private static MetadataBatch batch(int epoch, MetadataRecord... records) {
        return MetadataBatch.newBuilder()
                .setEpoch(epoch)
                .setControllerId(1)
                .setCreatedMs(1)
                .addAllRecords(List.of(records))
                .build();
    }

    private static MetadataBatch bootstrap(int epoch) {
        return batch(
                epoch,
                Bootstrap.records(CLUSTER, ControllerSettings.DEFAULTS, new SplittableRandom(1))
                        .toArray(MetadataRecord[]::new));
    }

    private static MetadataRecord config(String key, String value) {
        return MetadataRecords.of(ConfigRecord.newBuilder()
                .setResourceType(ConfigResource.Type.BROKER.code())
                .setName(key)
                .setValue(value)
                .build());
    }

    private static @Nullable String config(MetadataImage image, String key) {
        return image.configs().overrides(ConfigResource.brokerDefault()).get(key);
    }

    /// Starts a lone voter that has its first records.
    private Member startNew(Path directory, Map<String, String> raft) throws Exception {
        Member member = start(directory, raft);
        int epoch = member.awaitReady();
        member.quorum.append(bootstrap(epoch)).get(WAIT_SECONDS, TimeUnit.SECONDS);
        member.ready.add(epoch);
        return member;
    }

    @Test
    void whatWasCommittedIsThereAfterARestart() throws Exception {
        Member member = startNew(root, Map.of());
        int epoch = member.awaitReady();
        Applied applied = member.append(epoch, config("a", "1"));
        assertThat(config(applied.image(), "a")).isEqualTo("1");
        assertThat(applied.image().provenance().offset()).isEqualTo(applied.index());
        MetadataImage before = member.image();
        stop(member);

        member = start(root);
        int next = member.awaitReady();
        assertThat(next).isGreaterThan(epoch);
        assertThat(member.image().sameContents(before)).isTrue();
        member.append(next, config("a", "2"));
        assertThat(config(member.image(), "a")).isEqualTo("2");
        assertThat(faults.faults()).isEmpty();
    }

    @Test
    void aSnapshotReplacesTheLogThatItCovers() throws Exception {
        var raft = Map.of(
                "raft.server.log.segment.size.max", "64KB",
                "raft.server.log.preallocated.size", "16KB",
                "raft.server.log.purge.gap", "1",
                "raft.server.log.purge.preservation.log.num", "0");
        Member member = startNew(root, raft);
        int epoch = member.awaitReady();
        for (int i = 0; i < 300; i++) {
            member.append(epoch, config("key-" + i % 50, "x".repeat(1000) + i));
        }
        long index = member.quorum.takeSnapshot().get(WAIT_SECONDS, TimeUnit.SECONDS);
        assertThat(index).isEqualTo(member.quorum.applied().position().index());
        var latest = member.quorum.snapshots().latest();
        assertThat(latest).isNotNull();
        assertThat(latest.index()).isEqualTo(index);
        awaitPurged(member);
        for (int i = 0; i < 10; i++) {
            member.append(epoch, config("after-" + i, "y"));
        }
        MetadataImage before = member.image();
        stop(member);

        member = start(root, raft);
        member.awaitReady();
        assertThat(member.image().sameContents(before)).isTrue();
        assertThat(member.quorum.readLog(1, 1000)).isNull();
        var range = member.quorum.readLog(index + 1, 1 << 20);
        assertThat(range).isNotNull();
        assertThat(range.entries()).hasSize(10);
        assertThat(faults.faults()).isEmpty();
    }

    private static void awaitPurged(Member member) throws Exception {
        long deadline = TIME.nanoseconds() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (member.quorum.readLog(1, 1000) != null) {
            assertThat(TIME.nanoseconds()).as("the log is purged in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    @Test
    void aBatchOfAnotherEpochNeverGetsIntoTheLog() throws Exception {
        Member member = startNew(root, Map.of());
        int epoch = member.awaitReady();
        for (int stale : new int[] {epoch - 1, epoch + 1}) {
            assertThatThrownBy(() -> member.append(stale, config("a", "stale")))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(LeadershipLostException.class);
        }
        assertThat(member.fenced).hasValue(2);
        // The fence itself, for a batch whose epoch ends between the first look and the append.
        var server = member.quorum.server();
        var machine = server.getDivision(server.getGroupIds().iterator().next()).getStateMachine();
        for (int other : new int[] {epoch - 1, epoch, epoch + 1}) {
            var local = new LocalBatch(batch(other, config("a", "stale")));
            var transaction = TransactionContext.newBuilder()
                    .setStateMachine(machine)
                    .setClientRequest(write(member, local))
                    .setLogData(local.getContent())
                    .setStateMachineContext(local)
                    .build();
            if (other == epoch) {
                assertThat(machine.preAppendTransaction(transaction)).isSameAs(transaction);
            } else {
                assertThatThrownBy(() -> machine.preAppendTransaction(transaction))
                        .isInstanceOfSatisfying(
                                StateMachineException.class,
                                refusal -> assertThat(refusal.leaderShouldStepDown())
                                        .isFalse());
            }
        }
        assertThat(member.fenced).hasValue(4);
        // It did not cost the leadership.
        member.append(epoch, config("b", "1"));
        assertThat(config(member.image(), "a")).isNull();
    }

    /// Each batch that Ratis refuses before the append costs a permit until leadership changes.
    @Test
    void batchesThatAreRefusedLeaveRoomForOthers() throws Exception {
        Member member = startNew(root, Map.of("raft.server.write.element-limit", "4"));
        int epoch = member.awaitReady();
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> member.append(epoch - 1, config("a", "stale")))
                    .hasCauseInstanceOf(LeadershipLostException.class);
            assertThatThrownBy(() -> member.append(epoch, config("a", "x".repeat(member.quorum.maxBatchBytes()))))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(writeFromOutside(member).isSuccess()).isFalse();
        }
        member.append(epoch, config("b", "1"));
        assertThat(config(member.image(), "b")).isEqualTo("1");
        assertThat(config(member.image(), "a")).isNull();
        assertThat(member.fenced).hasValue(20);
        assertThat(member.ready).isEmpty();
    }

    @Test
    void aBatchThatIsTooLargeIsRefusedAndLeadershipStays() throws Exception {
        Member member = startNew(root, Map.of());
        int epoch = member.awaitReady();
        assertThatThrownBy(() -> member.append(epoch, config("a", "x".repeat(member.quorum.maxBatchBytes()))))
                .isInstanceOf(IllegalArgumentException.class);
        member.append(epoch, config("a", "x".repeat(member.quorum.maxBatchBytes() - 200)));
        member.append(epoch, config("b", "1"));
        assertThat(member.ready).isEmpty();
    }

    @Test
    void aWriteFromOutsideIsRefused() throws Exception {
        Member member = startNew(root, Map.of());
        int epoch = member.awaitReady();
        assertThat(writeFromOutside(member).isSuccess()).isFalse();
        member.append(epoch, config("b", "1"));
    }

    private static RaftClientReply writeFromOutside(Member member) throws IOException {
        return member.quorum.server().submitClientRequest(write(member, Message.valueOf("harm")));
    }

    private static RaftClientRequest write(Member member, Message message) {
        var server = member.quorum.server();
        return RaftClientRequest.newBuilder()
                .setClientId(ClientId.randomId())
                .setServerId(server.getId())
                .setGroupId(server.getGroupIds().iterator().next())
                .setCallId(1)
                .setMessage(message)
                .setType(RaftClientRequest.writeRequestType())
                .build();
    }

    @Test
    void anotherNodesDirectoryIsRefused() throws Exception {
        stop(startNew(root, Map.of()));
        assertThatThrownBy(() -> QuorumDirectory.open(root, 2, CLUSTER, new SplittableRandom(1)))
                .hasMessageContaining("belongs to node 1");
        assertThatThrownBy(() -> QuorumDirectory.open(root, 1, new Uuid(5, 5), new SplittableRandom(1)))
                .hasMessageContaining("belongs to cluster " + CLUSTER);
        assertThat(QuorumDirectory.open(root, 1, null, new SplittableRandom(1)).clusterId())
                .isEqualTo(CLUSTER);
    }

    @Test
    void aLogThatIsGoneIsNotReplacedByAnEmptyOne() throws Exception {
        stop(startNew(root, Map.of()));
        delete(root.resolve("raft"));
        assertThatThrownBy(() -> start(root)).isInstanceOf(IOException.class).hasMessageContaining("is gone");
    }

    @Test
    void aFirstStartThatWasCutShortIsTriedAgain() throws Exception {
        QuorumDirectory directory = QuorumDirectory.open(root, 1, CLUSTER, new SplittableRandom(3));
        Path group = directory.raftDirectory().resolve(directory.groupId().toString());
        Files.createDirectories(group.resolve("current"));
        Files.createFile(group.resolve("in_use.lock"));
        Member member = startNew(root, Map.of());
        member.append(member.awaitReady(), config("a", "1"));
        assertThat(config(member.image(), "a")).isEqualTo("1");
    }

    // ---- Crashes.

    @Test
    void aDirectoryCopiedInMidWriteHasEverythingThatWasAcknowledged() throws Exception {
        Path live = root.resolve("live");
        Member member = startNew(live, Map.of());
        int epoch = member.awaitReady();
        var acknowledged = new AtomicInteger(-1);
        var stop = new AtomicBoolean();
        var writer = new Thread(() -> {
            try {
                for (int i = 0; !stop.get(); i++) {
                    member.append(epoch, config("key-" + i, "value"));
                    acknowledged.set(i);
                }
            } catch (Exception e) {
                faults.handle("writer", e);
            }
        });
        writer.start();
        Map<Path, Integer> copies = new HashMap<>();
        for (int i = 0; i < 4; i++) {
            int wanted = acknowledged.get() + 20;
            while (acknowledged.get() < wanted && faults.faults().isEmpty()) {
                Thread.onSpinWait();
            }
            Path copy = root.resolve("copy-" + i);
            int safe = acknowledged.get();
            copy(live, copy);
            copies.put(copy, safe);
        }
        stop.set(true);
        writer.join();
        stop(member);

        for (Map.Entry<Path, Integer> copy : copies.entrySet()) {
            Member revived = start(copy.getKey());
            revived.awaitReady();
            for (int i = 0; i <= copy.getValue(); i++) {
                assertThat(config(revived.image(), "key-" + i)).as("key-" + i).isEqualTo("value");
            }
            stop(revived);
        }
        assertThat(faults.faults()).isEmpty();
    }

    private enum Damage {
        CUT_INSIDE_THE_LAST_ENTRY,
        LAST_BYTES_ARE_ZERO,
        GARBAGE_AFTER_THE_LAST_ENTRY,
        BIT_FLIP_IN_THE_MIDDLE
    }

    @ParameterizedTest
    @EnumSource(Damage.class)
    void aTornTailIsCutOffAndALossOfCommittedEntriesIsNotHidden(Damage damage) throws Exception {
        Path live = root.resolve("live");
        Member member = startNew(live, Map.of());
        int epoch = member.awaitReady();
        for (int i = 0; i < 20; i++) {
            member.append(epoch, config("key-" + i, "value"));
        }
        // The mark is written once a second and at the end; the entry after it is what a crash may tear.
        Path crashed = root.resolve("crashed");
        stop(member);
        Member again = start(live);
        int next = again.awaitReady();
        again.append(next, config("torn", "value"));
        copy(live, crashed);
        stop(again);

        Path log = openSegment(crashed);
        long end = endOfEntries(log);
        try (var file = new RandomAccessFile(log.toFile(), "rw")) {
            switch (damage) {
                case CUT_INSIDE_THE_LAST_ENTRY -> file.setLength(end - 3);
                case LAST_BYTES_ARE_ZERO -> {
                    file.seek(end - 8);
                    file.write(new byte[8]);
                }
                case GARBAGE_AFTER_THE_LAST_ENTRY -> {
                    file.seek(end);
                    file.write("garbage, not zeros".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                }
                case BIT_FLIP_IN_THE_MIDDLE -> {
                    Path closed = closedSegment(crashed);
                    try (var first = new RandomAccessFile(closed.toFile(), "rw")) {
                        long middle = first.length() / 2;
                        first.seek(middle);
                        int old = first.read();
                        first.seek(middle);
                        first.write(old ^ 0x10);
                    }
                }
            }
        }
        if (damage == Damage.BIT_FLIP_IN_THE_MIDDLE) {
            assertThatThrownBy(() -> start(crashed))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot be opened");
            return;
        }
        Member revived = start(crashed);
        revived.awaitReady();
        for (int i = 0; i < 20; i++) {
            assertThat(config(revived.image(), "key-" + i)).isEqualTo("value");
        }
        assertThat(config(revived.image(), "torn"))
                .isEqualTo(damage == Damage.GARBAGE_AFTER_THE_LAST_ENTRY ? "value" : null);
        assertThat(faults.faults()).isEmpty();
    }

    @Test
    void aTailThatWasCommittedAndIsCutOffStopsTheStart() throws Exception {
        Member member = startNew(root, Map.of());
        int epoch = member.awaitReady();
        for (int i = 0; i < 20; i++) {
            member.append(epoch, config("key-" + i, "value"));
        }
        stop(member);
        Path log = closedOrOpenSegment(root);
        try (var file = new RandomAccessFile(log.toFile(), "rw")) {
            long end = endOfEntries(log);
            file.seek(end / 2);
            file.write(new byte[(int) (end - end / 2)]);
        }
        assertThatThrownBy(() -> start(root)).isInstanceOf(IOException.class).hasMessageContaining("cannot be opened");
    }

    private static Path openSegment(Path directory) throws IOException {
        return segments(directory).stream()
                .filter(path -> path.getFileName().toString().startsWith("log_inprogress"))
                .findFirst()
                .orElseThrow();
    }

    private static Path closedSegment(Path directory) throws IOException {
        return segments(directory).stream()
                .filter(path -> !path.getFileName().toString().startsWith("log_inprogress"))
                .findFirst()
                .orElseThrow();
    }

    private static Path closedOrOpenSegment(Path directory) throws IOException {
        return segments(directory).getFirst();
    }

    private static List<Path> segments(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            return files.filter(path -> path.getFileName().toString().startsWith("log_"))
                    .sorted()
                    .toList();
        }
    }

    /// Where the preallocated zeros begin.
    /// Ratis' file: 8 bytes of a header, then for each entry its length, its bytes and a checksum of 4 bytes, then
    /// zeros.
    private static long endOfEntries(Path log) throws IOException {
        byte[] bytes = Files.readAllBytes(log);
        int end = 8;
        while (end < bytes.length) {
            int length = 0;
            int next = end;
            for (int shift = 0; ; shift += 7) {
                byte part = bytes[next++];
                length |= (part & 0x7F) << shift;
                if (part >= 0) {
                    break;
                }
            }
            if (length == 0) {
                return end;
            }
            end = next + length + Integer.BYTES;
        }
        return end;
    }

    // ---- Several voters.

    @Test
    void threeVotersAgreeAndGoOnWithoutTheirLeader() throws Exception {
        var directories = new ArrayList<QuorumDirectory>();
        var voters = new ArrayList<Voter>();
        for (int id = 1; id <= 3; id++) {
            var directory = QuorumDirectory.open(root.resolve("n" + id), id, CLUSTER, new SplittableRandom(id));
            directories.add(directory);
            voters.add(
                    new Voter(id, directory.directoryId(), InMemoryRaftNetwork.host(id), InMemoryRaftNetwork.port()));
        }
        var members = new ArrayList<Member>();
        for (int i = 0; i < 3; i++) {
            members.add(startVoter(directories.get(i), voters, i));
        }
        Member leader = awaitLeader(members);
        int epoch = leader.awaitReady();
        leader.quorum.append(bootstrap(epoch)).get(WAIT_SECONDS, TimeUnit.SECONDS);
        for (int i = 0; i < 20; i++) {
            leader.append(epoch, config("key-" + i, "value"));
        }
        int lost = members.indexOf(leader);
        stop(leader);
        members.remove(leader);

        Member second = awaitLeader(members);
        int next = second.awaitReady();
        assertThat(next).isGreaterThan(epoch);
        assertThat(config(second.image(), "key-19")).isEqualTo("value");
        assertThatThrownBy(() -> second.append(epoch, config("stale", "x"))).isInstanceOf(ExecutionException.class);
        second.append(next, config("after", "value"));

        Member back = startVoter(directories.get(lost), voters, lost);
        members.add(back);
        for (Member member : members) {
            awaitIndex(member, second.quorum.applied().position().index());
            assertThat(member.image().sameContents(second.image())).isTrue();
            assertThat(config(member.image(), "stale")).isNull();
        }
        assertThat(faults.faults()).isEmpty();
    }

    /// Voters that by Raft's own means would not elect anybody for a long time after the first leader.
    private List<Member> startPatientVoters(int count) throws IOException {
        var directories = new ArrayList<QuorumDirectory>();
        var voters = new ArrayList<Voter>();
        for (int id = 1; id <= count; id++) {
            var directory = QuorumDirectory.open(root.resolve("n" + id), id, CLUSTER, new SplittableRandom(id));
            directories.add(directory);
            voters.add(
                    new Voter(id, directory.directoryId(), InMemoryRaftNetwork.host(id), InMemoryRaftNetwork.port()));
        }
        var members = new ArrayList<Member>();
        for (int i = 1; i < count; i++) {
            members.add(start(directories.get(i), voters.get(i), voters, WAITING));
        }
        // The last one to start is the only one that stands: had two parted the votes, the next try
        // would be as long in coming as every other.
        members.addFirst(start(directories.getFirst(), voters.getFirst(), voters, PATIENT));
        return members;
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void theEndOfTheLeadersProcessIsNoticedByItsConnections(int voters) throws Exception {
        List<Member> members = startPatientVoters(voters);
        Member leader = awaitLeader(members);
        int epoch = leader.awaitReady();
        leader.quorum.append(bootstrap(epoch)).get(WAIT_SECONDS, TimeUnit.SECONDS);
        awaitWatched(voters - 1);
        long killed = TIME.nanoseconds();
        network.detach(leader.nodeId);
        members.remove(leader);

        Member second = awaitLeader(members);
        int next = second.awaitReady();
        LoggerFactory.getLogger(RatisQuorumTest.class)
                .info("a new leader was ready after {} ms", (TIME.nanoseconds() - killed) / 1_000_000);
        assertThat(next).isEqualTo(epoch + 1);
        second.append(next, config("after", "value"));
        assertThat(faults.faults()).isEmpty();
    }

    /// A leader that stops must not cost the others an election timeout, which here would be longer
    /// than any wait of the test.
    @Test
    void leadershipIsHandedOverWithoutAWait() throws Exception {
        List<Member> members = startPatientVoters(3);
        Member leader = awaitLeader(members);
        int epoch = leader.awaitReady();
        leader.quorum.append(bootstrap(epoch)).get(WAIT_SECONDS, TimeUnit.SECONDS);
        for (int i = 0; i < 4; i++) {
            leader.append(epoch, config("key-" + i, "value"));
            leader.ready.clear();
            long asked = TIME.nanoseconds();
            leader.quorum.resign(TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
            long resigned = TIME.nanoseconds();
            assertThat(leader.quorum.state().leading()).isFalse();
            Member before = leader;
            leader = awaitLeader(
                    members.stream().filter(member -> member != before).toList());
            int next = leader.awaitReady();
            LoggerFactory.getLogger(RatisQuorumTest.class)
                    .info(
                            "handed over in {} ms, ready after {} ms",
                            (resigned - asked) / 1_000_000,
                            (TIME.nanoseconds() - asked) / 1_000_000);
            assertThat(next).isGreaterThan(epoch);
            epoch = next;
        }
    }

    @Test
    void aLeaderWhoseConnectionsBreakButWhoseProcessLivesStaysLeader() throws Exception {
        List<Member> members = startPatientVoters(3);
        Member leader = awaitLeader(members);
        int epoch = leader.awaitReady();
        leader.quorum.append(bootstrap(epoch)).get(WAIT_SECONDS, TimeUnit.SECONDS);
        awaitWatched(2);
        int watches = network.sent(RaftMessage.WATCH);
        network.breakConnections(leader.nodeId);
        // They look at it, find it, and watch again.
        while (network.sent(RaftMessage.WATCH) < watches + 4) {
            Thread.onSpinWait();
        }
        assertThat(network.sent(RaftMessage.LEADER_GONE)).isZero();
        leader.append(epoch, config("still", "here"));
    }

    @Test
    void aVoterThatAloneCannotReachTheLeaderDoesNotDeposeIt() throws Exception {
        List<Member> members = startPatientVoters(3);
        Member leader = awaitLeader(members);
        int epoch = leader.awaitReady();
        leader.quorum.append(bootstrap(epoch)).get(WAIT_SECONDS, TimeUnit.SECONDS);
        awaitWatched(2);
        Member mistaken = members.stream().filter(m -> m != leader).findFirst().orElseThrow();
        network.refuse(mistaken.nodeId, leader.nodeId);
        while (network.sent(RaftMessage.LEADER_GONE) < 3) {
            Thread.onSpinWait();
        }
        leader.append(epoch, config("still", "here"));
        assertThat(leader.quorum.state().epoch()).isEqualTo(epoch);
    }

    /// Each follower greets once, then holds a request open.
    private void awaitWatched(int followers) {
        long deadline = TIME.nanoseconds() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (network.open(RaftMessage.WATCH) < followers || network.sent(RaftMessage.WATCH) < 2 * followers) {
            assertThat(TIME.nanoseconds()).as("the leader is watched in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private Member startVoter(QuorumDirectory directory, List<Voter> voters, int i) throws IOException {
        return start(directory, voters.get(i), voters, Map.of());
    }

    private static Member awaitLeader(List<Member> members) throws InterruptedException {
        long deadline = TIME.nanoseconds() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (true) {
            for (Member member : members) {
                Integer epoch = member.ready.poll(20, TimeUnit.MILLISECONDS);
                if (epoch != null) {
                    var state = member.quorum.state();
                    if (state.leading() && state.epoch() == epoch) {
                        member.ready.add(epoch);
                        return member;
                    }
                }
            }
            assertThat(TIME.nanoseconds()).as("a leader is elected in time").isLessThan(deadline);
        }
    }

    private static void awaitIndex(Member member, long index) throws InterruptedException {
        var reached = new java.util.concurrent.CountDownLatch(1);
        Runnable watcher = () -> {
            if (member.quorum.applied().position().index() >= index) {
                reached.countDown();
            }
        };
        member.quorum.applied().watch(watcher);
        watcher.run();
        assertThat(reached.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    // ---- Files.

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Files.createDirectories(to.resolve(from.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (!file.getFileName().toString().endsWith(".lock")
                        && !file.getFileName().toString().endsWith(".tmp")) {
                    Files.copy(file, to.resolve(from.relativize(file)));
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void delete(Path path) throws IOException {
        try (var files = Files.walk(path)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
