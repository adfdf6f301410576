package io.moldau.metadata.quorum.ratis;

import io.moldau.common.Endpoint;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.quorum.Applied;
import io.moldau.metadata.quorum.AppliedMetadata;
import io.moldau.metadata.quorum.LeadershipLostException;
import io.moldau.metadata.quorum.LogEntry;
import io.moldau.metadata.quorum.LogRange;
import io.moldau.metadata.quorum.MetadataQuorum;
import io.moldau.metadata.quorum.OwnMetrics;
import io.moldau.metadata.quorum.QuorumDescription;
import io.moldau.metadata.quorum.QuorumListener;
import io.moldau.metadata.quorum.QuorumMetrics;
import io.moldau.metadata.quorum.QuorumState;
import io.moldau.metadata.quorum.SnapshotSource;
import io.moldau.metadata.quorum.Voter;
import io.moldau.metadata.quorum.transport.RaftMessage;
import io.moldau.metadata.quorum.transport.RaftRequests;
import io.moldau.metadata.quorum.transport.RaftTransport;
import io.moldau.metadata.record.MetadataBatch;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.ProtoUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The metadata quorum on Apache Ratis: one Raft group, one division of it in this process.
///
/// Owns a maintenance thread that once a second stores the commit mark, looks whether a snapshot is due and
/// whether the
/// division is still alive (Ratis closes it silently in several cases while the server claims to run).
public final class RatisQuorum implements MetadataQuorum {

    private static final Logger LOG = LoggerFactory.getLogger(RatisQuorum.class);

    /// Room for what Ratis adds to an entry.
    private static final int ENTRY_OVERHEAD = 64 << 10;

    private static final String LOG_WRITER = "SegmentedRaftLogWorker";
    private static final long TICK_MS = 1000;
    private static final long TRANSFER_TIMEOUT_MS = 2000;
    private static final long SNAPSHOT_TIMEOUT_MS = 60_000;

    /// Longer than a leader waits for a new voter to catch up, see `raft.server.staging.timeout`.
    private static final long INVITATION_NANOS = TimeUnit.SECONDS.toNanos(40);

    /// A batch that takes longer than this to commit shows a sick disk: one that hangs does not stop heartbeats, so
    /// this node would stay leader while nothing commits.
    private static final long SLOW_COMMIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final RatisQuorumConfig config;
    private final QuorumDirectory directory;
    private final RaftTransport transport;
    private final PeerAddresses addresses = new PeerAddresses(this::registeredAddress);
    private final RatisRequests requests;
    private final Time time;
    private final QuorumMetrics metrics;
    private final FaultHandler faults;
    private final AppliedMetadata applied = new AppliedMetadata();
    private final RatisSnapshots snapshots = new RatisSnapshots();
    private final CommitMark commitMark;
    private final ClientId clientId = ClientId.randomId();
    private final AtomicLong callIds = new AtomicLong();
    private final RaftGroupId groupId;
    private final RaftPeerId selfId;
    private final ScheduledExecutorService maintenance;
    private final ScheduledExecutorService watching;
    private final LeaderWatch leaderWatch;
    private final ThreadGroup threads;
    private volatile @Nullable RaftServer server;
    /// The server once it has started: a message that comes before would find it half open, and can spoil its start.
    private volatile @Nullable RaftServer serving;

    private volatile RaftServer.@Nullable Division division;
    private volatile @Nullable RatisStateMachine stateMachine;
    private final Membership membership;
    private volatile @Nullable QuorumListener listener;
    /// What other controllers said, while this one is no voter.
    private volatile QuorumState observed = new QuorumState(-1, 0, false, List.of());

    private volatile boolean closing;
    /// When the batch in flight was appended, 0 if none is.
    private volatile long appendedNanos;
    // Maintenance thread only.
    /// A leader that removed this node may invite it again before it has seen its removal: it stays until it is sure
    /// that nothing comes of the invitation.
    private boolean invited;

    private long invitedNanos;
    private long snapshotAppliedBytes;
    private long snapshotNanos;
    private long snapshotIndex = -1;

    public RatisQuorum(
            RatisQuorumConfig config,
            QuorumDirectory directory,
            RaftTransport transport,
            Time time,
            QuorumMetrics metrics,
            FaultHandler faults) {
        this.config = config;
        this.directory = directory;
        this.transport = transport;
        this.time = time;
        this.metrics = metrics;
        this.faults = faults;
        this.commitMark = new CommitMark(directory.commitMark());
        this.groupId = RaftGroupId.valueOf(directory.groupId());
        this.selfId = RaftPeerId.valueOf(config.self().key());
        String name = "metadata-quorum-" + config.self().nodeId();
        this.watching = scheduler(name + "-watch");
        this.leaderWatch = new LeaderWatch(new Watched(), transport, addresses, watching);
        this.requests = new RatisRequests(
                name,
                () -> serving,
                Map.of(
                        RaftMessage.WATCH,
                        (kind, request) -> leaderWatch.onWatch(request),
                        RaftMessage.LEADER_GONE,
                        (kind, request) -> leaderWatch.onLeaderGone(request),
                        RaftMessage.PREPARE_TO_JOIN,
                        (kind, request) -> prepareToJoin(request)));
        this.threads = new ThreadGroup("metadata-quorum-" + config.self().nodeId());
        this.maintenance = scheduler(name + "-maintenance");
        this.membership = new Membership(
                selfId, groupId, clientId, callIds, transport, maintenance, () -> resign(TRANSFER_TIMEOUT_MS));
    }

    /// One thread, that starts with the first task.
    private static ScheduledExecutorService scheduler(String name) {
        return Executors.newSingleThreadScheduledExecutor(task -> {
            var thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /// What takes the messages of other voters. They can come before the start and after the end: then it refuses them.
    public RaftRequests requests() {
        return requests;
    }

    private PeerAddresses.@Nullable Address registeredAddress(int nodeId) {
        ControllerRegistration registration = applied.image().cluster().controller(nodeId);
        if (registration == null || registration.listeners().isEmpty()) {
            return null;
        }
        Endpoint endpoint = registration.listeners().getFirst();
        return new PeerAddresses.Address(endpoint.host(), endpoint.port());
    }

    @Override
    public void start(QuorumListener toTell) throws IOException {
        listener = toTell;
        if (config.voters().isEmpty() && !directory.isVoter()) {
            LOG.info("this controller is no voter yet: {}", selfId);
        } else {
            // Ratis registers a bean for JMX on its way to start, which sets up the whole platform bean server: a good
            // part of the start, spent on another thread.
            var beans = new Thread(ManagementFactory::getPlatformMBeanServer, "platform-mbean-server");
            beans.setDaemon(true);
            beans.start();
            try {
                open(toTell);
            } catch (IOException | RuntimeException e) {
                close();
                throw e;
            }
        }
        snapshotNanos = time.nanoseconds();
        snapshotIndex = applied.position().index();
        maintenance.scheduleWithFixedDelay(this::maintain, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
        watching.scheduleWithFixedDelay(this::handOverWhatHangs, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    }

    private void open(QuorumListener toTell) throws IOException {
        LOG.debug("metadata quorum settings: {}", RatisProperties.settings(config, invited));
        var machine = new RatisStateMachine(
                applied,
                snapshots,
                toTell,
                metrics,
                faults,
                this::leaderless,
                this::leaderChanged,
                () -> inMaintenance(this::divisionClosed),
                () -> inMaintenance(this::votersChanged));
        stateMachine = machine;
        try {
            inOwnThreadGroup(() -> startServer(machine));
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    "the metadata log in " + directory.path() + " cannot be opened: " + e.getMessage(), e);
        }
    }

    private void inMaintenance(Runnable task) {
        try {
            maintenance.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the quorum is closing", e);
        }
    }

    private void startServer(RatisStateMachine machine) throws IOException {
        RaftServer started = RaftServer.newBuilder()
                .setServerId(selfId)
                .setGroup(RaftGroup.valueOf(
                        groupId, config.voters().stream().map(RatisQuorum::peer).toList()))
                // The default formats; this takes what is there.
                .setOption(RaftStorage.StartupOption.RECOVER)
                .setStateMachine(machine)
                .setProperties(RatisProperties.of(config, invited))
                .setParameters(TransportRpcType.parameters(transport, addresses, time))
                .setThreadGroup(threads)
                .build();
        server = started;
        RaftServer.Division own = started.getDivision(groupId);
        division = own;
        machine.division(own);
        started.start();
        serving = started;
        directory.markOpened();
        checkNothingCommittedIsLost(own);
        if (!config.voters().isEmpty()) {
            directory.markVoter(true);
        }
    }

    private interface Start {
        void run() throws IOException;
    }

    /// Threads inherit the group of the thread that creates them: so all of Ratis' can be told from other threads.
    private void inOwnThreadGroup(Start start) throws IOException {
        var task = new FutureTask<@Nullable Void>(() -> {
            start.run();
            return null;
        });
        new Thread(threads, task, "metadata-quorum-start-" + config.self().nodeId()).start();
        try {
            task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) {
                throw io;
            }
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the metadata quorum started", e);
        }
    }

    static RaftPeer peer(Voter voter) {
        var builder = RaftPeer.newBuilder().setId(RaftPeerId.valueOf(voter.key()));
        if (!voter.host().isEmpty()) {
            builder.setAddress(voter.host() + ":" + voter.port());
        }
        return builder.build();
    }

    /// See [CommitMark].
    private void checkNothingCommittedIsLost(RaftServer.Division own) throws IOException {
        CommitMark.Mark mark = commitMark.read();
        if (mark == null) {
            return;
        }
        RaftLog log = own.getRaftLog();
        @Nullable TermIndex last = log.getLastEntryTermIndex();
        long lastIndex = Math.max(last == null ? -1 : last.getIndex(), log.getSnapshotIndex());
        @Nullable TermIndex marked = log.getTermIndex(mark.index());
        if (lastIndex < mark.index() || (marked != null && marked.getTerm() != mark.term())) {
            throw new IOException("entry " + mark.index() + " of term " + mark.term()
                    + " was committed but is not in the log any more (the log ends at " + lastIndex
                    + "): the disk lost or damaged it. Restore the directory, or empty it and add this node to the"
                    + " quorum again as a new voter");
        }
    }

    // ---- The write path.

    @Override
    public CompletableFuture<Applied> append(MetadataBatch batch) {
        var local = new LocalBatch(batch);
        int size = local.getContent().size();
        if (size > maxBatchBytes()) {
            throw new IllegalArgumentException(
                    "a batch of " + size + " bytes is larger than " + maxBatchBytes() + " bytes");
        }
        RaftServer current = server;
        if (current == null || closing) {
            return CompletableFuture.failedFuture(new LeadershipLostException("the metadata quorum is closed", null));
        }
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(clientId)
                .setServerId(selfId)
                .setGroupId(groupId)
                .setCallId(callIds.incrementAndGet())
                .setMessage(local)
                .setType(RaftClientRequest.writeRequestType())
                .build();
        long start = time.nanoseconds();
        appendedNanos = start == 0 ? 1 : start;
        try {
            return current.submitClientRequestAsync(request).handle((reply, failure) -> {
                appendedNanos = 0;
                Applied result = local.applied();
                if (failure != null || !reply.isSuccess() || result == null) {
                    Throwable cause = failure != null ? failure : reply.getException();
                    throw new LeadershipLostException(
                            "the batch of epoch " + local.epoch() + " was not committed by this node: "
                                    + (cause == null ? "no result" : cause.getMessage()),
                            cause);
                }
                metrics.committed(size, time.nanoseconds() - start);
                if (current.getServerRpc() instanceof TransportRpc rpc) {
                    rpc.committed();
                }
                return result;
            });
        } catch (IOException e) {
            return CompletableFuture.failedFuture(new LeadershipLostException("Ratis refused the batch", e));
        }
    }

    @Override
    public int maxBatchBytes() {
        return RatisProperties.APPENDER_BYTE_LIMIT - ENTRY_OVERHEAD;
    }

    // ---- State.

    @Override
    public QuorumState state() {
        RaftServer.Division own = division;
        if (own == null) {
            return observed;
        }
        DivisionInfo info = own.getInfo();
        @Nullable RaftPeerId leader = info.getLeaderId();
        var voters = own.getRaftConf().getCurrentPeers().stream()
                .map(RatisQuorum::voter)
                .map(this::whereItIs)
                .toList();
        return new QuorumState(
                leader == null ? -1 : Voter.nodeId(leader.toString()),
                (int) info.getCurrentTerm(),
                info.isAlive() && info.isLeader(),
                voters);
    }

    private Voter whereItIs(Voter voter) {
        PeerAddresses.Address address = addresses.find(voter.key());
        return address == null ? voter : new Voter(voter.nodeId(), voter.directoryId(), address.host(), address.port());
    }

    static Voter voter(RaftPeer peer) {
        String key = peer.getId().toString();
        int dot = key.indexOf('.');
        Uuid directoryId = dot < 0 ? Uuid.ZERO : Uuid.fromString(key.substring(dot + 1));
        @Nullable String address = peer.getAddress();
        int colon = address == null ? -1 : address.lastIndexOf(':');
        return new Voter(
                Voter.nodeId(key),
                directoryId,
                address == null || colon < 0 ? "" : address.substring(0, colon),
                address == null || colon < 0 ? 0 : Integer.parseInt(address.substring(colon + 1)));
    }

    @Override
    public AppliedMetadata applied() {
        return applied;
    }

    @Override
    public @Nullable LogRange readLog(long from, int maxBytes) throws IOException {
        RaftLog log = log();
        if (log == null) {
            return null;
        }
        long appliedIndex = applied.position().index();
        var entries = new ArrayList<LogEntry>();
        int size = 0;
        long index = from;
        for (; index <= appliedIndex && size < maxBytes; index++) {
            @Nullable LogEntryProto entry = entry(log, index);
            if (entry == null) {
                // Purged: at the first one the reader needs a snapshot, later it will find out next time.
                if (index == from) {
                    return null;
                }
                break;
            }
            if (entry.hasStateMachineLogEntry()) {
                var data = entry.getStateMachineLogEntry().getLogData();
                MetadataBatch batch = EntryFormat.decode(data);
                if (batch.getEpoch() == entry.getTerm()) {
                    entries.add(new LogEntry(index, (int) entry.getTerm(), batch, data.size()));
                    size += data.size();
                }
            }
        }
        return new LogRange(entries, index);
    }

    /// The entry, or null if it was purged. A purge that happens meanwhile shows as an exception.
    private static @Nullable LogEntryProto entry(RaftLog log, long index) throws IOException {
        try {
            return log.get(index);
        } catch (RaftLogIOException e) {
            if (index < log.getStartIndex()) {
                return null;
            }
            throw e;
        }
    }

    @Override
    public int termAt(long index) {
        RaftLog log = log();
        @Nullable TermIndex entry = log == null || index < 0 ? null : log.getTermIndex(index);
        return entry == null ? -1 : (int) entry.getTerm();
    }

    /// The log, or null as long as there is none to look at: Ratis opens it while the division starts, and until then
    /// whoever looks is answered by an exception.
    private @Nullable RaftLog log() {
        RaftServer.Division own = division;
        return own == null || serving == null ? null : own.getRaftLog();
    }

    // ---- Becoming a voter, and ceasing to be one.

    /// Whether this controller follows the log by fetching it, because it is no voter.
    public boolean isObserver() {
        return !isVoter();
    }

    private boolean isVoter() {
        RaftServer.Division own = division;
        return own != null && own.getRaftConf().getPeer(selfId) != null;
    }

    /// What an observer learned from those it fetches from.
    public void observed(int leaderId, int epoch) {
        observed = new QuorumState(leaderId, epoch, false, List.of());
        QuorumListener told = listener;
        if (told != null && isObserver()) {
            told.onLeaderChanged(leaderId);
        }
    }

    @Override
    public CompletableFuture<Void> addVoter(Voter voter, long timeoutMs) {
        return membership.add(server, division, voter, timeoutMs);
    }

    @Override
    public CompletableFuture<Void> removeVoter(int nodeId, Uuid directoryId, long timeoutMs) {
        return membership.remove(server, division, nodeId, directoryId, timeoutMs);
    }

    /// The leader is about to make this controller a voter: open a log for what it will send.
    private CompletableFuture<ByteBuffer> prepareToJoin(ByteBuffer request) {
        var answer = new CompletableFuture<ByteBuffer>();
        inMaintenance(() -> {
            try {
                PeerNote note = PeerNote.decode(request);
                QuorumListener told = listener;
                boolean ready = note.sender().equals(selfId.toString()) && told != null && !closing;
                if (ready) {
                    invited = true;
                    invitedNanos = time.nanoseconds();
                }
                if (ready && server == null && told != null) {
                    LOG.info("getting ready to become a voter: {}", selfId);
                    open(told);
                }
                answer.complete(
                        ByteBuffer.allocate(1).put((byte) (ready ? 1 : 0)).flip());
            } catch (IOException | RuntimeException e) {
                LOG.warn("this controller cannot become a voter", e);
                retire();
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    /// On the maintenance thread.
    private void votersChanged() {
        RaftServer.Division own = division;
        if (own == null || closing) {
            return;
        }
        boolean member = own.getRaftConf().getPeer(selfId) != null;
        try {
            if (member && own.getRaftConf().getPreviousPeers().isEmpty() && !directory.isVoter()) {
                LOG.info("this controller is a voter now: {}", selfId);
                directory.markVoter(true);
            } else if (!member
                    && !invited
                    && directory.isVoter()
                    && own.getRaftConf().getPreviousPeers().isEmpty()
                    && own.getInfo().getLastAppliedIndex() >= own.getRaftConf().getLogEntryIndex()) {
                retire();
            }
        } catch (IOException e) {
            faults.handle("remembering whether this node is a voter", e);
        }
    }

    /// On the maintenance thread.
    private void divisionClosed() {
        if (closing || division == null) {
            return;
        }
        boolean fixed =
                config.voters().stream().anyMatch(voter -> voter.directoryId().equals(Uuid.ZERO));
        if (fixed || (!directory.isVoter() && !invited)) {
            faults.handle(
                    "metadata quorum",
                    new IllegalStateException(
                            "Ratis closed the metadata group by itself: an entry could not be applied,"
                                    + " or the JVM was paused for very long"));
        } else {
            retire();
        }
    }

    /// This node is no voter any more. What it has applied stays, and goes on by fetching; its log stays too, for the
    /// case that it becomes a voter again.
    private void retire() {
        RaftServer current = server;
        RatisStateMachine machine = stateMachine;
        server = null;
        serving = null;
        division = null;
        stateMachine = null;
        if (machine != null) {
            machine.closing();
        }
        try {
            directory.markVoter(false);
        } catch (IOException e) {
            faults.handle("remembering that this node is no voter", e);
        }
        if (current != null) {
            LOG.info("this controller is no voter any more: {}", selfId);
            closeServer(current);
        }
        QuorumListener told = listener;
        if (told != null) {
            told.onLeadershipLost();
        }
    }

    @Override
    public QuorumDescription describe() {
        RaftServer.Division own = division;
        RaftServer current = server;
        RaftLog log = log();
        if (own == null || current == null || log == null) {
            return MetadataQuorum.super.describe();
        }
        Map<String, TransportRpc.Progress> progress =
                current.getServerRpc() instanceof TransportRpc rpc ? rpc.progress() : Map.of();
        long now = time.milliseconds();
        var voters = new ArrayList<QuorumDescription.Replica>();
        for (RaftPeer peer : own.getRaftConf().getCurrentPeers()) {
            Voter voter = voter(peer);
            TransportRpc.Progress known = progress.get(voter.key());
            if (peer.getId().equals(selfId)) {
                voters.add(new QuorumDescription.Replica(
                        voter.nodeId(), voter.directoryId(), log.getNextIndex(), now, now));
            } else if (known == null) {
                voters.add(new QuorumDescription.Replica(voter.nodeId(), voter.directoryId(), -1, -1, -1));
            } else {
                voters.add(new QuorumDescription.Replica(
                        voter.nodeId(),
                        voter.directoryId(),
                        known.matchIndex() + 1,
                        known.lastAnswerMs(),
                        known.lastCaughtUpMs()));
            }
        }
        QuorumState state = state();
        return new QuorumDescription(state.leaderId(), state.epoch(), log.getLastCommittedIndex() + 1, voters);
    }

    @Override
    public OwnMetrics ownMetrics() {
        return RatisMetrics.all();
    }

    // ---- Snapshots.

    @Override
    public SnapshotSource snapshots() {
        return snapshots;
    }

    @Override
    public CompletableFuture<Long> takeSnapshot() {
        var done = new CompletableFuture<Long>();
        maintenance.execute(() -> snapshotNow(done));
        return done;
    }

    private void snapshotNow(CompletableFuture<Long> done) {
        RaftServer current = server;
        RatisStateMachine machine = stateMachine;
        if (current == null || machine == null || closing) {
            done.completeExceptionally(new IllegalStateException("the metadata quorum is closed"));
            return;
        }
        try {
            long start = time.nanoseconds();
            AppliedMetadata.Position position = applied.position();
            snapshotAppliedBytes = machine.appliedBytes();
            snapshotNanos = start;
            snapshotIndex = position.index();
            long bytes = snapshots.prepare(position);
            RaftClientReply reply = current.snapshotManagement(SnapshotManagementRequest.newCreate(
                    clientId, selfId, groupId, callIds.incrementAndGet(), SNAPSHOT_TIMEOUT_MS, 1));
            if (!reply.isSuccess()) {
                throw new IOException("Ratis refused a snapshot", reply.getException());
            }
            metrics.snapshotWritten(bytes, time.nanoseconds() - start);
            LOG.info("metadata snapshot written: offset={} bytes={}", position.index(), bytes);
            done.complete(position.index());
        } catch (IOException | RuntimeException e) {
            LOG.warn("writing a metadata snapshot failed; the next is tried in a while", e);
            done.completeExceptionally(e);
        }
    }

    // ---- Maintenance thread.

    private void maintain() {
        RaftServer.Division own = division;
        RatisStateMachine machine = stateMachine;
        if (own == null || machine == null || closing) {
            return;
        }
        LifeCycle.State state = own.getInfo().getLifeCycleState();
        if (state.isClosingOrClosed() || state == LifeCycle.State.EXCEPTION) {
            divisionClosed();
            return;
        }
        if (invited && time.nanoseconds() - invitedNanos >= INVITATION_NANOS) {
            invited = false;
            votersChanged();
            if (division == null) {
                return;
            }
        }
        try {
            markCommitted();
        } catch (IOException e) {
            faults.handle("storing the commit mark of the metadata log", e);
            return;
        }
        long index = applied.position().index();
        if (index > machine.getLastAppliedTermIndex().getIndex()) {
            return;
        }
        boolean bytesDue = machine.appliedBytes() - snapshotAppliedBytes >= config.snapshotBytes();
        boolean timeDue = index > snapshotIndex
                && time.nanoseconds() - snapshotNanos >= TimeUnit.MILLISECONDS.toNanos(config.snapshotIntervalMs());
        if (bytesDue || timeDue) {
            snapshotNow(new CompletableFuture<>());
        }
    }

    /// On the watching thread: a disk that hangs holds up the maintenance thread too, at the commit mark.
    private void handOverWhatHangs() {
        long appended = appendedNanos;
        if (appended != 0 && time.nanoseconds() - appended > SLOW_COMMIT_NANOS) {
            LOG.warn(
                    "a metadata batch has not been committed for {} ms; trying to hand leadership over",
                    TimeUnit.NANOSECONDS.toMillis(time.nanoseconds() - appended));
            resign(TICK_MS);
        }
    }

    private void markCommitted() throws IOException {
        // Not what was fetched from others: this log's own word.
        RatisStateMachine machine = stateMachine;
        @Nullable TermIndex last = machine == null ? null : machine.getLastAppliedTermIndex();
        if (last != null && last.getIndex() >= 0) {
            commitMark.write(new CommitMark.Mark((int) last.getTerm(), last.getIndex()));
        }
    }

    /// Ratis' connections back off while a peer is away, and then even vote requests fail at once: without a reset a
    /// returned voter can wait minutes for a leader. It also has names resolved again.
    private void leaderless() {
        inMaintenance(this::resetChannels);
    }

    private void resetChannels() {
        RaftServer current = server;
        RaftServer.Division own = division;
        if (current == null || own == null || closing) {
            return;
        }
        if (current.getServerRpc() instanceof TransportRpc rpc) {
            for (RaftPeer peer : own.getRaftConf().getAllPeers()) {
                if (!peer.getId().equals(selfId)) {
                    rpc.reset(peer.getId());
                }
            }
            metrics.channelsReset();
        }
    }

    // ---- Noticing the end of the leader.

    /// On a thread of Ratis, inside its locks.
    private void leaderChanged() {
        RaftServer.Division own = division;
        if (!closing && own != null && own.getRaftConf().getCurrentPeers().size() > 1) {
            leaderWatch.onLeaderChanged();
        }
    }

    private final class Watched implements LeaderWatch.Quorum {

        @Override
        public LeaderWatch.@Nullable Leader leader() {
            RaftServer.Division own = division;
            if (own == null || closing || !own.getInfo().isFollower()) {
                return null;
            }
            long term = own.getInfo().getCurrentTerm();
            @Nullable RaftPeerId leader = own.getInfo().getLeaderId();
            return leader == null || leader.equals(selfId) ? null : new LeaderWatch.Leader(leader.toString(), term);
        }

        @Override
        public long leadsIn() {
            RaftServer.Division own = division;
            return own != null && !closing && own.getInfo().isLeader()
                    ? own.getInfo().getCurrentTerm()
                    : -1;
        }

        @Override
        public PeerNote note(LeaderWatch.Leader leader) {
            RaftLog log = log();
            @Nullable TermIndex last = log == null ? null : log.getLastEntryTermIndex();
            return new PeerNote(
                    leader.term(),
                    leader.key(),
                    self(),
                    last == null ? 0 : last.getTerm(),
                    last == null ? -1 : last.getIndex());
        }

        @Override
        public Collection<String> voters() {
            RaftServer.Division own = division;
            return own == null
                    ? List.of()
                    : own.getRaftConf().getCurrentPeers().stream()
                            .map(peer -> peer.getId().toString())
                            .toList();
        }

        @Override
        public String self() {
            return selfId.toString();
        }

        /// Ratis lets the leader name its successor; here the successor does it in the name of the leader that is gone.
        @Override
        public void stand(LeaderWatch.Leader leader) {
            RaftServer current = server;
            RaftLog log = log();
            @Nullable TermIndex last = log == null ? null : log.getLastEntryTermIndex();
            if (current == null || last == null) {
                return;
            }
            try {
                boolean standing = current.startLeaderElection(StartLeaderElectionRequestProto.newBuilder()
                                .setServerRequest(RaftRpcRequestProto.newBuilder()
                                        .setRequestorId(ByteString.copyFromUtf8(leader.key()))
                                        .setReplyId(ByteString.copyFromUtf8(self()))
                                        .setRaftGroupId(ProtoUtils.toRaftGroupIdProtoBuilder(groupId))
                                        .setCallId(callIds.incrementAndGet()))
                                .setLeaderLastEntry(TermIndexProto.newBuilder()
                                        .setTerm(last.getTerm())
                                        .setIndex(last.getIndex()))
                                .build())
                        .getServerReply()
                        .getSuccess();
                LOG.info("standing for election as the process of leader {} is gone: {}", leader, standing);
            } catch (IOException e) {
                LOG.info("this node cannot stand for election: {}", e.getMessage());
            }
        }
    }

    // ---- End.

    @Override
    public void resign(long timeoutMs) {
        RaftServer current = server;
        RaftServer.Division own = division;
        if (current == null
                || own == null
                || !own.getInfo().isLeader()
                || state().voters().size() < 2) {
            return;
        }
        RaftPeerId best = bestFollower(current);
        if (best == null) {
            return;
        }
        try {
            RaftClientReply reply = current.transferLeadership(new TransferLeadershipRequest(
                    clientId, selfId, groupId, callIds.incrementAndGet(), best, timeoutMs));
            if (!reply.isSuccess()) {
                LOG.info(
                        "leadership of the metadata quorum was not handed over: {}",
                        String.valueOf(reply.getException()));
            }
        } catch (IOException e) {
            LOG.info("leadership of the metadata quorum was not handed over: {}", e.getMessage());
        }
    }

    /// The follower that has most of the log, out of those that answer: waiting for one that is gone would only delay
    /// this node's own end.
    private @Nullable RaftPeerId bestFollower(RaftServer current) {
        if (!(current.getServerRpc() instanceof TransportRpc rpc)) {
            return null;
        }
        long heardSinceMs = time.milliseconds() - config.rpcTimeoutMaxMs();
        return rpc.progress().entrySet().stream()
                .filter(follower -> follower.getValue().lastAnswerMs() >= heardSinceMs)
                .max(Comparator.comparingLong(follower -> follower.getValue().matchIndex()))
                .map(follower -> RaftPeerId.valueOf(follower.getKey()))
                .orElse(null);
    }

    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        serving = null;
        maintenance.shutdown();
        watching.execute(leaderWatch::close);
        watching.shutdown();
        requests.close();
        RatisStateMachine machine = stateMachine;
        if (machine != null) {
            machine.closing();
        }
        RaftServer current = server;
        if (current != null) {
            closeServer(current);
        }
        try {
            markCommitted();
        } catch (IOException e) {
            LOG.warn("the commit mark of the metadata log could not be stored", e);
        }
    }

    /// Closes the server, and spares it the second in which Ratis' log writer sleeps on its empty queue before it
    /// looks
    /// whether it should end. Interrupting is safe only then: a thread that is writing would lose its file.
    private void closeServer(RaftServer current) {
        var closer = new Thread(
                () -> {
                    try {
                        current.close();
                    } catch (IOException e) {
                        LOG.warn("closing the metadata quorum failed", e);
                    }
                },
                "metadata-quorum-close-" + config.self().nodeId());
        closer.start();
        boolean interrupted = false;
        while (closer.isAlive()) {
            try {
                closer.join(10);
                interruptIdleLogWriter();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void interruptIdleLogWriter() {
        Thread idle = null;
        boolean awaited = false;
        for (Map.Entry<Thread, StackTraceElement[]> entry :
                Thread.getAllStackTraces().entrySet()) {
            Thread thread = entry.getKey();
            if (!isOurs(thread)) {
                continue;
            }
            if (thread.getName().contains(LOG_WRITER)) {
                idle = thread.getState() == Thread.State.TIMED_WAITING ? thread : null;
            }
            for (StackTraceElement frame : entry.getValue()) {
                awaited |= frame.getClassName().endsWith(LOG_WRITER)
                        && frame.getMethodName().equals("close");
            }
        }
        if (awaited && idle != null) {
            idle.interrupt();
        }
    }

    private boolean isOurs(Thread thread) {
        ThreadGroup group = thread.getThreadGroup();
        return group != null && threads.parentOf(group);
    }

    RaftServer server() {
        return Objects.requireNonNull(server, "not started");
    }
}
