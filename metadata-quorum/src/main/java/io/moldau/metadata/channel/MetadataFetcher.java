package io.moldau.metadata.channel;

import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.Repeats;
import io.moldau.common.time.Time;
import io.moldau.metadata.event.EventLoop;
import io.moldau.metadata.image.loader.MetadataLoader;
import io.moldau.metadata.image.snapshot.ImageReader;
import io.moldau.metadata.message.FetchMetadataRequest;
import io.moldau.metadata.message.FetchMetadataResponse;
import io.moldau.metadata.message.FetchSnapshotRequest;
import io.moldau.metadata.message.FetchSnapshotResponse;
import io.moldau.metadata.message.SnapshotId;
import io.moldau.metadata.record.MetadataRecords;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the metadata log: asks a controller for what comes next, waits there when there is nothing, hands what it
/// gets
/// to the [MetadataLoader], goes to another controller after an error, and takes a snapshot when it is too far
/// behind.
///
/// Lives on the loader's event loop.
public final class MetadataFetcher implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MetadataFetcher.class);

    private static final int MAX_BYTES = 1 << 20;
    private static final int SNAPSHOT_CHUNK = 1 << 20;
    private static final int MAX_WAIT_MS = 10_000;
    private static final long MIN_BACKOFF_MS = 50;
    private static final long MAX_BACKOFF_MS = 1000;

    private final int brokerId;
    private final Uuid clusterId;
    private final Uuid directoryId;
    private final ControllerChannels channels;
    private final MetadataLoader loader;
    private final Path scratchFile;
    private final EventLoop loop;
    private final Time time;
    private final CompletableFuture<Void> caughtUp = new CompletableFuture<>();
    private volatile long nextIndex;
    private volatile int leaderId = -1;
    private volatile long knownIndex = -1;
    private volatile long heardNanos;
    // Event loop
    private int lastTerm;
    private long backoffMs = MIN_BACKOFF_MS;
    private final Repeats failures = new Repeats();
    private long catchUpTo = -1;
    private boolean closed;

    /// For a node whose metadata have no directory of their own.
    public MetadataFetcher(
            int brokerId,
            Uuid clusterId,
            ControllerChannels channels,
            MetadataLoader loader,
            Path scratchFile,
            EventLoop loop,
            Time time) {
        this(brokerId, clusterId, Uuid.ZERO, channels, loader, scratchFile, loop, time);
    }

    /// @param directoryId of this node's metadata; zero if it has none
    /// @param scratchFile where a snapshot is kept while it is being fetched
    public MetadataFetcher(
            int brokerId,
            Uuid clusterId,
            Uuid directoryId,
            ControllerChannels channels,
            MetadataLoader loader,
            Path scratchFile,
            EventLoop loop,
            Time time) {
        this.brokerId = brokerId;
        this.clusterId = clusterId;
        this.directoryId = directoryId;
        this.channels = channels;
        this.loader = loader;
        this.scratchFile = scratchFile;
        this.loop = loop;
        this.time = time;
        this.heardNanos = time.nanoseconds();
    }

    public void start() {
        loop.execute(this::fetch);
    }

    /// Completes when everything has been published that the first controller to answer knew then.
    public CompletableFuture<Void> whenCaughtUp() {
        return caughtUp;
    }

    /// The last index that is covered by what was published; for heartbeats.
    public long appliedIndex() {
        return nextIndex - 1;
    }

    /// The active controller's node as the last answer said, or -1.
    public int leaderId() {
        return leaderId;
    }

    /// How this node follows.
    ///
    /// @param entriesBehind entries a controller had applied when it answered last, and this node has not
    /// @param silentNanos since a controller answered; one that has nothing new does so within ten seconds
    public record Progress(long entriesBehind, long silentNanos) {}

    public Progress progress() {
        return new Progress(Math.max(0, knownIndex - appliedIndex()), time.nanoseconds() - heardNanos);
    }

    private void fetch() {
        if (closed) {
            return;
        }
        NodeToController channel = channels.current();
        FetchMetadataRequest request = FetchMetadataRequest.newBuilder()
                .setClusterId(MetadataRecords.id(clusterId))
                .setIncarnation(MetadataRecords.id(loader.image().cluster().incarnation()))
                .setBrokerId(brokerId)
                .setBrokerEpoch(-1)
                .setNextIndex(nextIndex)
                .setLastTerm(lastTerm)
                .setMaxBytes(MAX_BYTES)
                .setMaxWaitMs(MAX_WAIT_MS)
                .setDirectoryId(MetadataRecords.id(directoryId))
                .build();
        channel.fetchMetadata(request)
                .whenComplete((response, failure) -> enqueue(() -> {
                    if (failure != null) {
                        retry(channel, String.valueOf(failure.getMessage()));
                    } else {
                        fetched(channel, response);
                    }
                }));
    }

    private void enqueue(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the metadata fetcher is closed already", e);
        }
    }

    private void fetched(NodeToController channel, FetchMetadataResponse response) {
        leaderId = response.getLeaderId();
        if (response.getErrorCode() == Errors.FENCED_LEADER_EPOCH.code() && response.getAppliedIndex() >= 0) {
            // Cannot come from the quorum: a controller's storage was restored or reset.
            LOG.error(
                    "the metadata this node has is not in the log any more; reading it anew: {}",
                    response.getErrorMessage());
            nextIndex = 0;
            lastTerm = 0;
            retry(channel, response.getErrorMessage());
            return;
        }
        if (response.getErrorCode() != 0) {
            retry(channel, Errors.forCode((short) response.getErrorCode()) + ": " + response.getErrorMessage());
            return;
        }
        backoffMs = MIN_BACKOFF_MS;
        heardNanos = time.nanoseconds();
        knownIndex = Math.max(knownIndex, response.getAppliedIndex());
        if (response.hasSnapshot()) {
            fetchSnapshot(channel, response.getSnapshot());
            return;
        }
        if (catchUpTo < 0) {
            catchUpTo = response.getAppliedIndex();
        }
        if (response.getEntriesCount() > 0) {
            loader.entries(response.getEntriesList());
            lastTerm = response.getEntries(response.getEntriesCount() - 1).getTerm();
        }
        advance(response.getNextIndex());
        fetch();
    }

    private void advance(long index) {
        if (index > nextIndex) {
            // Entries without metadata may follow the last batch; their term is not known here.
            if (index - 1 != loader.image().offset()) {
                lastTerm = 0;
            }
            nextIndex = index;
        }
        if (catchUpTo >= 0 && nextIndex > catchUpTo) {
            caughtUp.complete(null);
        }
    }

    private void retry(NodeToController channel, String why) {
        if (failures.next(time.nanoseconds())) {
            LOG.info("fetching metadata failed, trying again: failures={} error={}", failures.count(), why);
        }
        channels.failed(channel);
        loop.schedule(time.nanoseconds() + TimeUnit.MILLISECONDS.toNanos(backoffMs), this::fetch);
        backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
    }

    // ---- Snapshots.

    private void fetchSnapshot(NodeToController channel, SnapshotId snapshot) {
        LOG.info("fetching a metadata snapshot: offset={} bytes={}", snapshot.getIndex(), snapshot.getSize());
        try {
            chunk(channel, snapshot, Files.newOutputStream(scratchFile), 0);
        } catch (IOException e) {
            retry(channel, "cannot write " + scratchFile + ": " + e.getMessage());
        }
    }

    private void chunk(NodeToController channel, SnapshotId snapshot, OutputStream out, long position) {
        FetchSnapshotRequest request = FetchSnapshotRequest.newBuilder()
                .setClusterId(MetadataRecords.id(clusterId))
                .setSnapshot(snapshot)
                .setPosition(position)
                .setMaxBytes(SNAPSHOT_CHUNK)
                .build();
        channel.fetchSnapshot(request)
                .whenComplete((response, failure) ->
                        enqueue(() -> chunkFetched(channel, snapshot, out, position, response, failure)));
    }

    private void chunkFetched(
            NodeToController channel,
            SnapshotId snapshot,
            OutputStream out,
            long position,
            @Nullable FetchSnapshotResponse response,
            @Nullable Throwable failure) {
        try {
            if (failure != null || response == null || response.getErrorCode() != 0 || closed) {
                out.close();
                retry(
                        channel,
                        "the snapshot stopped coming: "
                                + (response == null ? String.valueOf(failure) : response.getErrorMessage()));
                return;
            }
            response.getData().writeTo(out);
            long next = position + response.getData().size();
            if (next < snapshot.getSize()) {
                if (next == position) {
                    throw new IOException("the snapshot ends at " + next + " of " + snapshot.getSize() + " bytes");
                }
                chunk(channel, snapshot, out, next);
                return;
            }
            out.close();
            load();
            fetch();
        } catch (IOException e) {
            retry(channel, "the snapshot cannot be used: " + e.getMessage());
        }
    }

    private void load() throws IOException {
        try (var in = new BufferedInputStream(Files.newInputStream(scratchFile), 1 << 16)) {
            ImageReader.Loaded loaded = ImageReader.read(in);
            loader.snapshot(loaded.image());
            lastTerm = loaded.term();
            nextIndex = loaded.index() + 1;
        } finally {
            Files.deleteIfExists(scratchFile);
        }
    }

    @Override
    public void close() {
        enqueue(() -> closed = true);
        loop.close();
        if (!caughtUp.isDone()) {
            caughtUp.completeExceptionally(new IllegalStateException("closed"));
        }
    }
}
