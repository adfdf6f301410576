package io.moldau.metadata.quorum;

import io.moldau.common.Uuid;
import io.moldau.metadata.image.snapshot.ImageReader;
import io.moldau.metadata.image.snapshot.ImageWriter;
import io.moldau.metadata.record.MetadataBatch;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A member of a metadata quorum that exists in memory only. All members of a [Group] run on the caller's thread,
/// step
/// by step: what happens next, an entry applied here, a message of lost leadership there, is drawn from a seed.
///
/// It keeps the promises of [MetadataQuorum], and breaks everything they do not forbid: a deposed leader learns of it
/// late, a batch that was appended may get lost, outcomes arrive after the leader has changed.
public final class SimulatedQuorum implements MetadataQuorum {

    private final Group group;
    private final int id;
    private final AppliedMetadata applied;
    private final Snapshots snapshots = new Snapshots();
    /// What this member has been told but has not looked at yet, in order.
    private final ArrayDeque<Runnable> news = new ArrayDeque<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private @Nullable QuorumListener listener;
    /// The term in which this member believes to lead, 0 if it does not.
    private int believedTerm;

    private boolean closed;

    private record Waiting(Entry entry, CompletableFuture<Applied> future) {}

    /// An entry of the log; one without a batch marks the beginning of a term.
    private record Entry(int term, @Nullable MetadataBatch batch) {}

    private SimulatedQuorum(Group group, int id, AppliedMetadata applied) {
        this.group = group;
        this.id = id;
        this.applied = applied;
    }

    /// All members, and the log they agree on.
    public static final class Group {

        private final RandomGenerator random;
        private final List<SimulatedQuorum> members = new ArrayList<>();
        private final List<Entry> committed = new ArrayList<>();
        /// Appended by the leader, neither committed nor lost yet.
        private final ArrayDeque<Entry> pending = new ArrayDeque<>();

        private int term;
        private int leader = -1;
        private final Set<Integer> cutOff = new TreeSet<>();
        private final long tailBytes;
        private final int tailEntries;
        private long firstKept;
        private int fenced;

        public Group(int size, RandomGenerator random) {
            this(size, random, AppliedMetadata.TAIL_BYTES, AppliedMetadata.TAIL_ENTRIES);
        }

        public Group(int size, RandomGenerator random, long tailBytes, int tailEntries) {
            this.random = random;
            this.tailBytes = tailBytes;
            this.tailEntries = tailEntries;
            for (int id = 0; id < size; id++) {
                members.add(new SimulatedQuorum(this, id, new AppliedMetadata(tailBytes, tailEntries)));
            }
        }

        public SimulatedQuorum member(int id) {
            return members.get(id);
        }

        public List<SimulatedQuorum> members() {
            return members;
        }

        /// How many batches of an earlier epoch were stopped.
        public int fenced() {
            return fenced;
        }

        public int leader() {
            return leader;
        }

        public int term() {
            return term;
        }

        public long committedIndex() {
            return committed.size() - 1;
        }

        /// The batch of a committed entry; null for one without metadata.
        public @Nullable MetadataBatch committed(long index) {
            return committed.get((int) index).batch();
        }

        /// The term of a committed entry.
        public int committedTerm(long index) {
            return committed.get((int) index).term();
        }

        /// While a member is cut off it applies nothing, and commits nothing if it leads.
        public void cutOff(int id) {
            cutOff.add(id);
        }

        public void reconnect(int id) {
            cutOff.remove(id);
        }

        /// Whether the member runs and hears of the others.
        public boolean isReachable(int id) {
            return !members.get(id).closed && !cutOff.contains(id);
        }

        /// The process of a member ends without a word; what it leads has no leader.
        public void crash(int id) {
            if (leader == id) {
                stepDown();
            }
            SimulatedQuorum member = members.get(id);
            member.closed = true;
            member.news.clear();
            member.waiting.clear();
        }

        /// A new process for a member that crashed or was closed: it has its snapshot and the log. To be started.
        public SimulatedQuorum reopen(int id) {
            SimulatedQuorum old = members.get(id);
            var member = new SimulatedQuorum(this, id, new AppliedMetadata(tailBytes, tailEntries));
            member.snapshots.put(old.snapshots);
            member.restart();
            members.set(id, member);
            return member;
        }

        /// Gives the group another leader, or the same in a new term. Some of what the old one appended is lost.
        public void elect(int newLeader) {
            stepDown();
            term++;
            leader = newLeader;
            SimulatedQuorum member = members.get(newLeader);
            int newTerm = term;
            committed.add(new Entry(newTerm, null));
            member.news.addLast(() -> member.believedTerm = newTerm);
            for (SimulatedQuorum each : members) {
                each.tell(told -> told.onLeaderChanged(newLeader));
            }
        }

        /// Leaves the group without a leader.
        public void stepDown() {
            if (leader < 0) {
                return;
            }
            int kept = random.nextInt(pending.size() + 1);
            for (int i = 0; i < kept; i++) {
                committed.add(pending.removeFirst());
            }
            pending.clear();
            SimulatedQuorum old = members.get(leader);
            leader = -1;
            // Some while later the old leader finds out.
            old.news.addLast(old::lostLeadership);
        }

        /// Whether [#step] would do anything.
        public boolean hasWork() {
            if (leader >= 0 && !pending.isEmpty() && isReachable(leader)) {
                return true;
            }
            for (SimulatedQuorum member : members) {
                if (!member.closed
                        && (!member.news.isEmpty()
                                || (member.applied.position().index() < committedIndex()
                                        && !cutOff.contains(member.id)))) {
                    return true;
                }
            }
            return false;
        }

        /// Lets one thing happen, if anything can: a commit, an entry applied, news read. Returns false when
        /// nothing is
        /// left to happen.
        public boolean step() {
            var possible = new ArrayList<Runnable>();
            if (leader >= 0 && !pending.isEmpty() && isReachable(leader)) {
                possible.add(() -> committed.add(pending.removeFirst()));
            }
            for (SimulatedQuorum member : members) {
                if (member.closed) {
                    continue;
                }
                if (member.applied.position().index() < committedIndex() && !cutOff.contains(member.id)) {
                    possible.add(member::applyNext);
                }
                if (!member.news.isEmpty()) {
                    possible.add(() -> member.news.removeFirst().run());
                }
            }
            if (possible.isEmpty()) {
                return false;
            }
            possible.get(random.nextInt(possible.size())).run();
            return true;
        }

        public void runAll() {
            while (step()) {
                continue;
            }
        }

        /// Every member that can takes a snapshot; what is in all of their snapshots is forgotten.
        public void snapshotAndPurge() {
            long covered = Long.MAX_VALUE;
            for (SimulatedQuorum member : members) {
                if (isReachable(member.id) && member.applied.position().index() >= 0) {
                    member.takeSnapshot().join();
                }
                SnapshotSource.Snapshot latest = member.snapshots.latest;
                covered = Math.min(covered, latest == null ? -1 : latest.index());
            }
            purgeBefore(Math.max(firstKept, covered + 1));
        }

        /// Forgets entries, as a log does after a snapshot.
        public void purgeBefore(long index) {
            firstKept = index;
        }
    }

    private interface Tell {
        void to(QuorumListener listener);
    }

    private void tell(Tell what) {
        news.addLast(() -> {
            QuorumListener told = listener;
            if (told != null) {
                what.to(told);
            }
        });
    }

    private void lostLeadership() {
        believedTerm = 0;
        tell(QuorumListener::onLeadershipLost);
        failWaiting();
    }

    private void failWaiting() {
        var lost = List.copyOf(waiting);
        waiting.clear();
        lost.forEach(each ->
                each.future().completeExceptionally(new LeadershipLostException("the simulated leader changed", null)));
    }

    private void applyNext() {
        long index = applied.position().index() + 1;
        Entry entry = group.committed.get((int) index);
        if (entry.batch() == null) {
            applied.skip(index, entry.term());
            if (entry.term() == group.term && group.leader == id) {
                int ready = entry.term();
                tell(told -> told.onLeaderReady(ready));
            }
            return;
        }
        if (entry.batch().getEpoch() != entry.term()) {
            throw new AssertionError("a batch of epoch " + entry.batch().getEpoch() + " in term " + entry.term());
        }
        var image =
                applied.apply(index, entry.term(), entry.batch(), entry.batch().getSerializedSize());
        for (Waiting each : List.copyOf(waiting)) {
            if (each.entry() == entry) {
                waiting.remove(each);
                each.future().complete(new Applied(index, image));
            }
        }
    }

    @Override
    public void start(QuorumListener told) {
        listener = told;
    }

    @Override
    public CompletableFuture<Applied> append(MetadataBatch batch) {
        if (batch.getSerializedSize() > maxBatchBytes()) {
            throw new IllegalArgumentException("too large");
        }
        var future = new CompletableFuture<Applied>();
        var entry = new Entry(group.term, batch);
        if (group.leader != id || batch.getEpoch() != group.term) {
            group.fenced++;
            news.addLast(() -> future.completeExceptionally(new LeadershipLostException("fenced", null)));
            return future;
        }
        group.pending.addLast(entry);
        waiting.add(new Waiting(entry, future));
        return future;
    }

    @Override
    public int maxBatchBytes() {
        return 4 << 20;
    }

    @Override
    public QuorumState state() {
        var voters = group.members.stream()
                .map(member -> new Voter(member.id, Uuid.ZERO, "", 0))
                .toList();
        // A deposed leader that has not heard of it still says it leads, in its old term.
        return believedTerm > 0
                ? new QuorumState(id, believedTerm, true, voters)
                : new QuorumState(group.leader, group.term, false, voters);
    }

    @Override
    public AppliedMetadata applied() {
        return applied;
    }

    @Override
    public @Nullable LogRange readLog(long from, int maxBytes) {
        if (from < group.firstKept) {
            return null;
        }
        var entries = new ArrayList<LogEntry>();
        long index = from;
        int bytes = 0;
        for (; index <= applied.position().index() && bytes < maxBytes; index++) {
            Entry entry = group.committed.get((int) index);
            if (entry.batch() != null) {
                int size = entry.batch().getSerializedSize();
                entries.add(new LogEntry(index, entry.term(), entry.batch(), size));
                bytes += size;
            }
        }
        return new LogRange(entries, index);
    }

    @Override
    public int termAt(long index) {
        return index < group.firstKept || index >= group.committed.size()
                ? -1
                : group.committed.get((int) index).term();
    }

    @Override
    public SnapshotSource snapshots() {
        return snapshots;
    }

    @Override
    public CompletableFuture<Long> takeSnapshot() {
        try {
            AppliedMetadata.Position position = applied.position();
            var bytes = new ByteArrayOutputStream();
            ImageWriter.write(position.image(), position.index(), position.term(), bytes);
            snapshots.put(position, bytes.toByteArray());
            return CompletableFuture.completedFuture(position.index());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Starts this member's process anew: it reads its snapshot and applies the log again.
    public void restart() {
        try {
            ImageReader.Loaded loaded =
                    snapshots.bytes == null ? null : ImageReader.read(new ByteArrayInputStream(snapshots.bytes));
            if (loaded == null) {
                applied.reset(io.moldau.metadata.image.MetadataImage.EMPTY, -1, 0);
            } else {
                applied.reset(loaded.image(), loaded.index(), loaded.term());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void resign(long timeoutMs) {
        if (group.leader == id && group.members.size() > 1) {
            for (int i = 1; i < group.members.size(); i++) {
                int next = (id + i) % group.members.size();
                if (group.isReachable(next)) {
                    group.elect(next);
                    return;
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        if (group.leader == id) {
            group.stepDown();
        }
        failWaiting();
    }

    private static final class Snapshots implements SnapshotSource {

        private @Nullable Snapshot latest;
        private byte @Nullable [] bytes;

        void put(AppliedMetadata.Position position, byte[] content) {
            latest = new Snapshot(position.index(), position.term(), content.length);
            bytes = content;
        }

        void put(Snapshots other) {
            latest = other.latest;
            bytes = other.bytes;
        }

        @Override
        public @Nullable Snapshot latest() {
            return latest;
        }

        @Override
        public @Nullable ByteBuffer read(Snapshot snapshot, long position, int maxBytes) {
            byte[] content = bytes;
            if (content == null || !snapshot.equals(latest)) {
                return null;
            }
            int from = (int) Math.min(position, content.length);
            return ByteBuffer.wrap(content, from, Math.min(maxBytes, content.length - from))
                    .slice();
        }
    }
}
