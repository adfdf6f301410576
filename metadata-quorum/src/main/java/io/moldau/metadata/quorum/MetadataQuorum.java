package io.moldau.metadata.quorum;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.metadata.record.MetadataBatch;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// One member of the group of controllers that agree on the order of the metadata log. The seam behind which Apache
/// Ratis works, or a simulation.
///
/// What it promises the controller:
///  * a batch is appended only while the term is the batch's epoch, so a batch that was computed in one epoch never
///    gets into the log in another;
///  * when [QuorumListener#onLeaderReady(int)] comes, every entry before this epoch has been applied;
///  * committed entries are never taken back.
///
/// All methods are safe for use by any thread. [#append(MetadataBatch)] is meant to be called with one batch in
/// flight.
public interface MetadataQuorum extends AutoCloseable {

    /// Joins the group. Call once.
    ///
    /// @throws IOException if the log cannot be opened, or lost committed entries
    void start(QuorumListener listener) throws IOException;

    /// Appends a batch in its epoch. Completes when it is committed and applied here, or fails with
    /// [LeadershipLostException].
    ///
    /// @throws IllegalArgumentException if the batch is larger than [#maxBatchBytes()]
    CompletableFuture<Applied> append(MetadataBatch batch);

    /// No larger batch can be appended.
    int maxBatchBytes();

    QuorumState state();

    /// What is committed and applied on this node.
    AppliedMetadata applied();

    /// Committed entries from `from` on that the log on disk still holds, or null if the first of them is not
    /// there any
    /// more. Reads the disk.
    @Nullable
    LogRange readLog(long from, int maxBytes) throws IOException;

    /// The term of an entry that the log still holds, or -1.
    int termAt(long index);

    SnapshotSource snapshots();

    /// Writes a snapshot of the applied metadata and lets the log forget what it covers. Completes with its index.
    CompletableFuture<Long> takeSnapshot();

    /// Hands leadership to another voter if there is one that can take it; at most `timeoutMs`.
    void resign(long timeoutMs);

    /// How far the voters are. Only the leader knows about others.
    default QuorumDescription describe() {
        QuorumState state = state();
        return new QuorumDescription(
                state.leaderId(), state.epoch(), applied().position().index() + 1, List.of());
    }

    /// What the library below tells of itself.
    default OwnMetrics ownMetrics() {
        return OwnMetrics.NONE;
    }

    /// Makes a controller a voter, once it has the log. It must run and be reachable. Asked of the leader.
    ///
    /// Completes when the change is committed. Fails with [ApiException]: NOT_CONTROLLER, DUPLICATE_VOTER,
    /// UNSUPPORTED_VERSION if the voters are fixed by configuration, REQUEST_TIMED_OUT if the controller does not
    /// answer or catch up, or another change is under way.
    default CompletableFuture<Void> addVoter(Voter voter, long timeoutMs) {
        return CompletableFuture.failedFuture(fixedVoters());
    }

    /// Removes a voter. Fails like [#addVoter], and with VOTER_NOT_FOUND. A leader that is to go hands leadership over
    /// and answers NOT_CONTROLLER: the next one is to be asked.
    default CompletableFuture<Void> removeVoter(int nodeId, Uuid directoryId, long timeoutMs) {
        return CompletableFuture.failedFuture(fixedVoters());
    }

    private static ApiException fixedVoters() {
        return new ApiException(Errors.UNSUPPORTED_VERSION, "The voters of this quorum cannot be changed.");
    }

    @Override
    void close();
}
