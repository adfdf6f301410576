package io.moldau.metadata;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.metadata.channel.ControllerChannels;
import io.moldau.metadata.channel.MetadataFetcher;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.event.EventLoop;
import io.moldau.metadata.event.ThreadEventLoop;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.loader.MetadataLoader;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.quorum.ratis.RatisQuorum;
import io.moldau.wire.message.AddRaftVoterRequestData;
import io.moldau.wire.message.AddRaftVoterResponseData;
import io.moldau.wire.message.DescribeQuorumRequestData;
import io.moldau.wire.message.DescribeQuorumResponseData;
import io.moldau.wire.message.RemoveRaftVoterRequestData;
import io.moldau.wire.protocol.Message;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has a controller that is no voter follow the log by fetching it, as brokers do; and, if it is to join by itself,
/// asks to
/// be made a voter once it has the log (KIP-1186).
///
/// Looks twice a second whether its node is a voter. All fields are its event loop's.
final class QuorumObserver implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(QuorumObserver.class);

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long JOIN_TIMEOUT_MS = 30_000;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final MetadataQuorumConfig config;
    private final Uuid clusterId;
    private final Uuid directoryId;
    private final RatisQuorum quorum;
    private final ControllerChannels channels;
    private final NodeToController active;
    private final Path scratchFile;
    private final EventLoop loop;
    private final Time time;
    private final FaultHandler faults;

    private @Nullable MetadataFetcher fetcher;
    private boolean asking;
    private long nextTryNanos = Long.MIN_VALUE;
    private long pauseNanos = FIRST_PAUSE_NANOS;
    private boolean closed;

    QuorumObserver(
            MetadataQuorumConfig config,
            Uuid clusterId,
            Uuid directoryId,
            RatisQuorum quorum,
            ControllerChannels channels,
            NodeToController active,
            Time time,
            FaultHandler faults) {
        this.config = config;
        this.clusterId = clusterId;
        this.directoryId = directoryId;
        this.quorum = quorum;
        this.channels = channels;
        this.active = active;
        this.scratchFile = config.directory().resolve("fetched.snapshot");
        this.time = time;
        this.faults = faults;
        this.loop = new ThreadEventLoop("quorum-observer-" + config.nodeId(), time, faults);
    }

    void start() {
        loop.execute(this::tick);
    }

    private void tick() {
        if (closed) {
            return;
        }
        if (quorum.isObserver()) {
            observe();
        } else {
            stopFetching();
            pauseNanos = FIRST_PAUSE_NANOS;
        }
        loop.schedule(time.nanoseconds() + TICK_NANOS, this::tick);
    }

    private void observe() {
        MetadataFetcher current = fetcher;
        if (current == null) {
            var fetching = new ThreadEventLoop("metadata-observer-" + config.nodeId(), time, faults);
            var loader = new MetadataLoader(fetching, time, faults, List.of(new ToQuorum()));
            current = new MetadataFetcher(
                    config.nodeId(), clusterId, directoryId, channels, loader, scratchFile, fetching, time);
            fetcher = current;
            current.start();
        }
        quorum.observed(
                current.leaderId(), quorum.applied().image().provenance().epoch());
        if (config.autoJoin()
                && !asking
                && current.whenCaughtUp().isDone()
                && !current.whenCaughtUp().isCompletedExceptionally()
                && (nextTryNanos == Long.MIN_VALUE || time.nanoseconds() - nextTryNanos >= 0)) {
            join();
        }
    }

    private void stopFetching() {
        MetadataFetcher current = fetcher;
        fetcher = null;
        if (current != null) {
            current.close();
        }
    }

    /// Hands what was fetched to the quorum's applied metadata.
    private final class ToQuorum implements MetadataPublisher {

        @Override
        public String name() {
            return "quorum observer";
        }

        @Override
        public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
            quorum.applied()
                    .reset(
                            newImage,
                            newImage.provenance().offset(),
                            newImage.provenance().epoch());
        }
    }

    // ---- Joining.

    private void join() {
        MetadataQuorumConfig.Address address = config.address();
        if (address == null) {
            return;
        }
        asking = true;
        LOG.info("asking to become a voter: directoryId={}", directoryId);
        var request = new AddRaftVoterRequestData()
                .setClusterId(clusterId.toString())
                .setTimeoutMs((int) JOIN_TIMEOUT_MS)
                .setVoterId(config.nodeId())
                .setVoterDirectoryId(directoryId)
                .setListeners(List.of(new AddRaftVoterRequestData.Listener()
                        .setName("CONTROLLER")
                        .setHost(address.host())
                        .setPort(address.port())));
        ask(request)
                .thenCompose(answer -> answer instanceof AddRaftVoterResponseData added
                                && added.errorCode() == Errors.DUPLICATE_VOTER.code()
                        ? removePredecessor()
                        : CompletableFuture.completedFuture(answer))
                .whenComplete((answer, failure) -> loop.execute(() -> asked(answer, failure)));
    }

    private CompletableFuture<Message> ask(Message request) {
        long deadlineNanos = time.nanoseconds() + TimeUnit.MILLISECONDS.toNanos(JOIN_TIMEOUT_MS);
        return active.forward(
                new ControllerContext("User:ANONYMOUS", "", request.highestSupportedVersion(), deadlineNanos), request);
    }

    /// A voter of the same node id with another directory: this node before its disk was lost.
    private CompletableFuture<Message> removePredecessor() {
        var topic = new DescribeQuorumRequestData.TopicData()
                .setTopicName("__cluster_metadata")
                .setPartitions(List.of(new DescribeQuorumRequestData.PartitionData().setPartitionIndex(0)));
        return ask(new DescribeQuorumRequestData().setTopics(List.of(topic))).thenCompose(answer -> {
            if (answer instanceof DescribeQuorumResponseData description) {
                for (var voter :
                        description.topics().getFirst().partitions().getFirst().currentVoters()) {
                    if (voter.replicaId() == config.nodeId()
                            && !voter.replicaDirectoryId().equals(directoryId)) {
                        LOG.info("asking to remove this node's earlier directory {}", voter.replicaDirectoryId());
                        return ask(new RemoveRaftVoterRequestData()
                                .setClusterId(clusterId.toString())
                                .setVoterId(config.nodeId())
                                .setVoterDirectoryId(voter.replicaDirectoryId()));
                    }
                }
            }
            return CompletableFuture.completedFuture(answer);
        });
    }

    private void asked(@Nullable Message answer, @Nullable Throwable failure) {
        asking = false;
        nextTryNanos = time.nanoseconds() + pauseNanos;
        pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
        if (failure != null) {
            LOG.info("this controller did not become a voter yet: {}", failure.getMessage());
        } else if (answer instanceof AddRaftVoterResponseData added && added.errorCode() != 0) {
            LOG.info(
                    "this controller did not become a voter yet: {}",
                    new ApiException(Errors.forCode(added.errorCode()), String.valueOf(added.errorMessage()))
                            .getMessage());
        }
    }

    @Override
    public void close() {
        loop.execute(() -> {
            closed = true;
            stopFetching();
        });
        loop.close();
    }
}
