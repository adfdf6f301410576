package io.moldau.metadata.quorum.ratis;

import io.moldau.common.FaultHandler;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.quorum.AppliedMetadata;
import io.moldau.metadata.quorum.QuorumListener;
import io.moldau.metadata.quorum.QuorumMetrics;
import io.moldau.metadata.quorum.Voter;
import io.moldau.metadata.record.MetadataBatch;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where Ratis meets our metadata: fences batches, applies committed ones, loads and registers snapshots, and
/// passes on
/// what happens to leadership.
///
/// Ratis calls it on many threads, some of them inside its own locks. Only the applying thread touches
/// [AppliedMetadata]; everything else reads volatiles and enqueues.
final class RatisStateMachine extends BaseStateMachine {

    private static final Logger LOG = LoggerFactory.getLogger(RatisStateMachine.class);

    private final AppliedMetadata applied;
    private final RatisSnapshots snapshots;
    private final QuorumListener listener;
    private final QuorumMetrics metrics;
    private final FaultHandler faults;
    /// Called when no leader was seen for a while, on a thread of Ratis; must only enqueue.
    private final Runnable onLeaderless;
    /// The same for news about the leader.
    private final Runnable onLeaderChanged;
    /// The same when Ratis closed the division by itself, and when the voters changed.
    private final Runnable onClosed;

    private final Runnable onVotersChanged;
    private final AtomicLong appliedBytes = new AtomicLong();
    private volatile RaftServer.@Nullable Division division;
    private volatile boolean closing;

    RatisStateMachine(
            AppliedMetadata applied,
            RatisSnapshots snapshots,
            QuorumListener listener,
            QuorumMetrics metrics,
            FaultHandler faults,
            Runnable onLeaderless,
            Runnable onLeaderChanged,
            Runnable onClosed,
            Runnable onVotersChanged) {
        this.applied = applied;
        this.snapshots = snapshots;
        this.listener = listener;
        this.metrics = metrics;
        this.faults = faults;
        this.onLeaderless = onLeaderless;
        this.onLeaderChanged = onLeaderChanged;
        this.onClosed = onClosed;
        this.onVotersChanged = onVotersChanged;
    }

    /// Must be called before the server starts.
    void division(RaftServer.Division value) {
        division = value;
    }

    /// From here on it is no fault that the division closes.
    void closing() {
        closing = true;
    }

    /// Bytes of entries applied since the process started.
    long appliedBytes() {
        return appliedBytes.get();
    }

    // ---- Life cycle. The base class leaves out the transitions that Ratis asserts around an installed snapshot.

    @Override
    public void initialize(RaftServer server, RaftGroupId groupId, RaftStorage storage) throws IOException {
        super.initialize(server, groupId, storage);
        getLifeCycle()
                .startAndTransition(
                        () -> {
                            snapshots.init(storage);
                            load();
                        },
                        IOException.class);
    }

    @Override
    public void pause() {
        getLifeCycle().transition(org.apache.ratis.util.LifeCycle.State.PAUSING);
        getLifeCycle().transition(org.apache.ratis.util.LifeCycle.State.PAUSED);
    }

    @Override
    public void reinitialize() throws IOException {
        getLifeCycle()
                .startAndTransition(
                        () -> {
                            snapshots.reload();
                            load();
                        },
                        IOException.class);
    }

    private void load() throws IOException {
        var loaded = snapshots.load();
        if (loaded == null) {
            setLastAppliedTermIndex(TermIndex.INITIAL_VALUE);
        } else {
            applied.reset(loaded.image(), loaded.index(), loaded.term());
            setLastAppliedTermIndex(TermIndex.valueOf(loaded.term(), loaded.index()));
        }
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return snapshots.storage();
    }

    @Override
    public long takeSnapshot() throws IOException {
        AppliedMetadata.Position position = applied.position();
        // What was fetched from others before this node became a voter can be ahead of its log.
        return position.index() > getLastAppliedTermIndex().getIndex() ? -1 : snapshots.register(position);
    }

    @Override
    public void close() {
        if (!closing) {
            onClosed.run();
        }
    }

    // ---- The write path.

    /// Refuses what will surely be refused. Here that is free, while a refusal by [#preAppendTransaction] costs Ratis
    /// one of its permits for writes until leadership changes.
    @Override
    public TransactionContext startTransaction(RaftClientRequest request) {
        var transaction = TransactionContext.newBuilder().setStateMachine(this).setClientRequest(request);
        if (!(request.getMessage() instanceof LocalBatch batch)) {
            return refused(
                    transaction, new SecurityException("the metadata log takes batches from its own controller only"));
        }
        long term = currentTerm();
        if (batch.epoch() != term) {
            metrics.fenced();
            return refused(transaction, stale(term));
        }
        return transaction
                .setLogData(batch.getContent())
                .setStateMachineContext(batch)
                .build();
    }

    /// The fence. Ratis holds its server's monitor and the log's write lock here, and the term changes only under
    /// that
    /// monitor: a batch whose epoch is the term now gets into the log in that term or not at all.
    @Override
    public TransactionContext preAppendTransaction(TransactionContext transaction) throws StateMachineException {
        long term = currentTerm();
        if (!(transaction.getStateMachineContext() instanceof LocalBatch batch) || batch.epoch() != term) {
            metrics.fenced();
            throw stale(term);
        }
        return transaction;
    }

    private long currentTerm() {
        RaftServer.Division current = division;
        return current == null ? -1 : current.getInfo().getCurrentTerm();
    }

    private static StateMachineException stale(long term) {
        // The last argument keeps Ratis from stepping down because of it.
        return new StateMachineException(
                "the batch belongs to another epoch than " + term, new IOException("stale epoch"), false);
    }

    private static TransactionContext refused(TransactionContext.Builder transaction, Exception why) {
        TransactionContext refused = transaction.setLogData(ByteString.EMPTY).build();
        refused.setException(why);
        return refused;
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        long index = entry.getIndex();
        int term = (int) entry.getTerm();
        ByteString data = entry.getStateMachineLogEntry().getLogData();
        try {
            LocalBatch local = transaction.getStateMachineContext() instanceof LocalBatch batch ? batch : null;
            MetadataBatch batch = local == null ? EntryFormat.decode(data) : local.batch();
            if (batch.getEpoch() != term) {
                // Every replica skips it alike, so they stay equal. The fence should have made this impossible.
                metrics.epochMismatch();
                LOG.error(
                        "skipped a metadata batch of another epoch: offset={} epoch={} term={}",
                        index,
                        batch.getEpoch(),
                        term);
                applied.skip(index, term);
            } else {
                MetadataImage image = applied.apply(index, term, batch, data.size());
                if (local != null) {
                    local.applied(index, image);
                }
            }
        } catch (RuntimeException e) {
            faults.handle("applying metadata entry " + index + " of term " + term, e);
            throw e; // closes the division: nothing may be applied after an entry that was not
        }
        appliedBytes.addAndGet(data.size());
        updateLastAppliedTermIndex(term, index);
        return CompletableFuture.completedFuture(Message.EMPTY);
    }

    @Override
    public void notifyTermIndexUpdated(long term, long index) {
        applied.skip(index, (int) term);
        super.notifyTermIndexUpdated(term, index);
    }

    // ---- Leadership and voters. Only enqueue.

    @Override
    public void notifyConfigurationChanged(long term, long index, RaftConfigurationProto newRaftConfiguration) {
        onVotersChanged.run();
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId groupMemberId, RaftPeerId newLeader) {
        int leaderId = newLeader == null ? -1 : Voter.nodeId(newLeader.toString());
        RaftServer.Division current = division;
        metrics.leaderChanged(
                leaderId, current == null ? 0 : (int) current.getInfo().getCurrentTerm());
        listener.onLeaderChanged(leaderId);
        onLeaderChanged.run();
    }

    @Override
    public void notifyLeaderReady() {
        RaftServer.Division current = division;
        if (current != null) {
            listener.onLeaderReady((int) current.getInfo().getCurrentTerm());
        }
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pendingEntries) {
        listener.onLeadershipLost();
        onLeaderChanged.run();
    }

    @Override
    public void notifyExtendedNoLeader(RoleInfoProto roleInfo) {
        onLeaderless.run();
    }

    @Override
    public void notifyLogFailed(Throwable cause, LogEntryProto failedEntry) {
        faults.handle(
                "writing the metadata log",
                new IOException("the metadata log can no longer be written; check the disk, then restart", cause));
    }
}
