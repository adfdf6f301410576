package io.moldau.metadata.channel;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.metadata.event.EventLoop;
import io.moldau.metadata.message.ControllerAddress;
import io.moldau.metadata.message.FetchMetadataRequest;
import io.moldau.metadata.message.FetchMetadataResponse;
import io.moldau.metadata.message.FetchSnapshotRequest;
import io.moldau.metadata.message.FetchSnapshotResponse;
import io.moldau.metadata.message.MetadataEntry;
import io.moldau.metadata.message.SnapshotId;
import io.moldau.metadata.quorum.AppliedMetadata;
import io.moldau.metadata.quorum.LogEntry;
import io.moldau.metadata.quorum.LogRange;
import io.moldau.metadata.quorum.MetadataQuorum;
import io.moldau.metadata.quorum.QuorumDescription;
import io.moldau.metadata.quorum.QuorumState;
import io.moldau.metadata.quorum.SnapshotSource;
import io.moldau.metadata.quorum.Voter;
import io.moldau.metadata.record.MetadataRecords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// Gives brokers the committed metadata log, on any controller, leader or not. All it hands out is applied, hence
/// committed, so a broker never has to take anything back.
///
/// Entries come from memory, else from the log on disk; a broker that is further behind than the log reaches is
/// pointed
/// to a snapshot. Works on an event loop of its own, since it may read the disk.
public final class MetadataFetchService implements AutoCloseable {

    /// However much a broker asks for, it gets no more at once.
    static final int MAX_BYTES = 1 << 20;

    static final int MAX_SNAPSHOT_CHUNK = 4 << 20;
    static final int MAX_WAIT_MS = 30_000;

    /// More waiting requests than this are answered at once.
    static final int MAX_PARKED = 10_000;

    private final Uuid clusterId;
    private final MetadataQuorum quorum;
    private final EventLoop loop;
    private final Time time;
    private final AtomicBoolean wakePending = new AtomicBoolean();
    private final Runnable watcher = this::signal;
    /// Whether any request waits. Lets a controller that replays its log do so without waking anybody for each entry.
    private volatile boolean someoneWaits;
    private final MetadataFollowers followers = new MetadataFollowers();
    // Event loop
    private final List<Parked> parked = new ArrayList<>();
    private boolean closed;

    private record Parked(FetchMetadataRequest request, CompletableFuture<FetchMetadataResponse> answer) {}

    public MetadataFetchService(Uuid clusterId, MetadataQuorum quorum, EventLoop loop, Time time) {
        this.clusterId = clusterId;
        this.quorum = quorum;
        this.loop = loop;
        this.time = time;
        quorum.applied().watch(watcher);
    }

    public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
        var answer = new CompletableFuture<FetchMetadataResponse>();
        enqueue(() -> fetch(request, answer), answer);
        return answer;
    }

    /// Who fetches here, and how far each is.
    public List<QuorumDescription.Replica> followers() {
        return followers.list(time.milliseconds());
    }

    public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
        var answer = new CompletableFuture<FetchSnapshotResponse>();
        enqueue(() -> answer.complete(snapshotChunk(request)), answer);
        return answer;
    }

    private void enqueue(Runnable task, CompletableFuture<?> answer) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(stopping());
        }
    }

    private static ApiException stopping() {
        return new ApiException(Errors.BROKER_NOT_AVAILABLE, "This controller is stopping; ask another.");
    }

    /// On the thread that applies entries: many entries cause one wake-up.
    private void signal() {
        if (someoneWaits && wakePending.compareAndSet(false, true)) {
            try {
                loop.execute(this::wake);
            } catch (RejectedExecutionException e) {
                quorum.applied().unwatch(watcher);
            }
        }
    }

    private void wake() {
        wakePending.set(false);
        var waiting = List.copyOf(parked);
        for (Parked request : waiting) {
            if (request.request().getNextIndex() <= quorum.applied().position().index()) {
                parked.remove(request);
                followers.answered(follower(request.request()), time.milliseconds());
                request.answer().complete(read(request.request()));
            }
        }
        someoneWaits = !parked.isEmpty();
    }

    private void fetch(FetchMetadataRequest request, CompletableFuture<FetchMetadataResponse> answer) {
        FetchMetadataResponse refusal = refuse(request);
        if (refusal != null) {
            answer.complete(refusal);
            return;
        }
        int waitMs = Math.min(request.getMaxWaitMs(), MAX_WAIT_MS);
        // A controller may be behind the broker, having just restarted: then the broker waits too.
        if (request.getNextIndex() > quorum.applied().position().index()
                && waitMs > 0
                && parked.size() < MAX_PARKED
                && !closed) {
            var waiting = new Parked(request, answer);
            parked.add(waiting);
            heardOf(request, true);
            someoneWaits = true;
            // An entry may have come just before that was visible to whoever applied it.
            if (request.getNextIndex() <= quorum.applied().position().index()) {
                parked.remove(waiting);
                answer.complete(read(request));
                return;
            }
            loop.schedule(time.nanoseconds() + TimeUnit.MILLISECONDS.toNanos(waitMs), () -> {
                if (parked.remove(waiting)) {
                    followers.answered(follower(request), time.milliseconds());
                    answer.complete(read(request));
                }
            });
            return;
        }
        heardOf(request, false);
        answer.complete(read(request));
    }

    private void heardOf(FetchMetadataRequest request, boolean waits) {
        followers.fetched(
                follower(request),
                request.getNextIndex(),
                quorum.applied().position().index(),
                time.milliseconds(),
                waits);
    }

    private static MetadataFollowers.Key follower(FetchMetadataRequest request) {
        return new MetadataFollowers.Key(request.getBrokerId(), MetadataRecords.uuid(request.getDirectoryId()));
    }

    private @Nullable FetchMetadataResponse refuse(FetchMetadataRequest request) {
        Uuid cluster = MetadataRecords.uuid(request.getClusterId());
        if (!cluster.equals(clusterId)) {
            return error(
                    Errors.INCONSISTENT_CLUSTER_ID,
                    "Broker " + request.getBrokerId() + " belongs to cluster " + cluster + ", this is " + clusterId);
        }
        Uuid theirs = MetadataRecords.uuid(request.getIncarnation());
        Uuid ours = quorum.applied().image().cluster().incarnation();
        if (!theirs.equals(Uuid.ZERO) && !ours.equals(Uuid.ZERO) && !theirs.equals(ours)) {
            return error(
                    Errors.INCONSISTENT_CLUSTER_ID,
                    "This controller's cluster was created anew (incarnation " + ours + ", broker "
                            + request.getBrokerId() + " knows " + theirs + "): empty the broker's directories to join");
        }
        if (request.getNextIndex() < 0) {
            return error(Errors.INVALID_REQUEST, "The next index " + request.getNextIndex() + " is negative");
        }
        int ourTerm = quorum.termAt(request.getNextIndex() - 1);
        if (request.getLastTerm() > 0 && ourTerm >= 0 && ourTerm != request.getLastTerm()) {
            return error(
                    Errors.FENCED_LEADER_EPOCH,
                    "Entry " + (request.getNextIndex() - 1) + " has term " + ourTerm + " here but "
                            + request.getLastTerm() + " at broker " + request.getBrokerId()
                            + ": a controller's storage was restored or reset");
        }
        return null;
    }

    private FetchMetadataResponse read(FetchMetadataRequest request) {
        long from = request.getNextIndex();
        AppliedMetadata.Position position = quorum.applied().position();
        var response = response().setAppliedIndex(position.index());
        if (from > position.index()) {
            return response.setNextIndex(from).build();
        }
        int maxBytes = Math.clamp(request.getMaxBytes(), 1, MAX_BYTES);
        LogRange range;
        try {
            range = quorum.applied().tail(from, maxBytes);
            if (range == null) {
                range = quorum.readLog(from, maxBytes);
            }
        } catch (IOException e) {
            return error(Errors.KAFKA_STORAGE_ERROR, "The metadata log cannot be read: " + e.getMessage());
        }
        if (range != null) {
            for (LogEntry entry : range.entries()) {
                response.addEntries(MetadataEntry.newBuilder()
                        .setIndex(entry.index())
                        .setTerm(entry.term())
                        .setBatch(entry.batch()));
            }
            return response.setNextIndex(range.nextIndex()).build();
        }
        SnapshotSource.Snapshot latest = quorum.snapshots().latest();
        if (latest == null || latest.index() < from) {
            return error(
                    Errors.SNAPSHOT_NOT_FOUND,
                    "Entry " + from + " is not in the log any more and no snapshot covers it; ask another controller");
        }
        return response.setNextIndex(from)
                .setSnapshot(SnapshotId.newBuilder()
                        .setIndex(latest.index())
                        .setTerm(latest.term())
                        .setSize(latest.sizeInBytes()))
                .build();
    }

    private FetchMetadataResponse.Builder response() {
        QuorumState state = quorum.state();
        var response =
                FetchMetadataResponse.newBuilder().setLeaderId(state.leaderId()).setLeaderEpoch(state.epoch());
        for (Voter voter : state.voters()) {
            response.addVoters(voter.nodeId());
            if (!voter.host().isEmpty()) {
                response.addControllers(ControllerAddress.newBuilder()
                        .setControllerId(voter.nodeId())
                        .setHost(voter.host())
                        .setPort(voter.port()));
            }
        }
        return response;
    }

    private FetchMetadataResponse error(Errors error, String message) {
        return response()
                .setErrorCode(error.code())
                .setErrorMessage(message)
                .setAppliedIndex(quorum.applied().position().index())
                .build();
    }

    private FetchSnapshotResponse snapshotChunk(FetchSnapshotRequest request) {
        SnapshotId id = request.getSnapshot();
        var response = FetchSnapshotResponse.newBuilder().setPosition(request.getPosition());
        if (!MetadataRecords.uuid(request.getClusterId()).equals(clusterId)) {
            return response.setErrorCode(Errors.INCONSISTENT_CLUSTER_ID.code())
                    .setErrorMessage("This is cluster " + clusterId)
                    .build();
        }
        if (request.getPosition() < 0 || request.getPosition() > id.getSize()) {
            return response.setErrorCode(Errors.POSITION_OUT_OF_RANGE.code())
                    .setErrorMessage("Position " + request.getPosition() + " is outside the snapshot's " + id.getSize()
                            + " bytes")
                    .build();
        }
        try {
            ByteBuffer bytes = quorum.snapshots()
                    .read(
                            new SnapshotSource.Snapshot(id.getIndex(), id.getTerm(), id.getSize()),
                            request.getPosition(),
                            Math.clamp(request.getMaxBytes(), 1, MAX_SNAPSHOT_CHUNK));
            if (bytes == null) {
                return response.setErrorCode(Errors.SNAPSHOT_NOT_FOUND.code())
                        .setErrorMessage("Snapshot " + id.getIndex() + " is not kept any more; fetch metadata again")
                        .build();
            }
            ByteString data = UnsafeByteOperations.unsafeWrap(bytes);
            return response.setSize(id.getSize()).setData(data).build();
        } catch (IOException e) {
            return response.setErrorCode(Errors.KAFKA_STORAGE_ERROR.code())
                    .setErrorMessage("The snapshot cannot be read: " + e.getMessage())
                    .build();
        }
    }

    @Override
    public void close() {
        quorum.applied().unwatch(watcher);
        try {
            loop.execute(() -> {
                closed = true;
                someoneWaits = false;
                parked.forEach(request -> request.answer().completeExceptionally(stopping()));
                parked.clear();
            });
        } catch (RejectedExecutionException e) {
            return; // closed before
        }
        loop.close();
    }
}
