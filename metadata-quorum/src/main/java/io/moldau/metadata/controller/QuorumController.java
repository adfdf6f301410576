package io.moldau.metadata.controller;

import io.moldau.common.ApiException;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.metadata.controller.op.AllocateProducerIds;
import io.moldau.metadata.controller.op.AlterConfigs;
import io.moldau.metadata.controller.op.AlterPartition;
import io.moldau.metadata.controller.op.AlterPartitionReassignments;
import io.moldau.metadata.controller.op.AssignReplicasToDirs;
import io.moldau.metadata.controller.op.BalanceLeaders;
import io.moldau.metadata.controller.op.Bootstrap;
import io.moldau.metadata.controller.op.BrokerHeartbeat;
import io.moldau.metadata.controller.op.CreatePartitions;
import io.moldau.metadata.controller.op.CreateTopics;
import io.moldau.metadata.controller.op.DeleteTopics;
import io.moldau.metadata.controller.op.ElectLeaders;
import io.moldau.metadata.controller.op.FenceBroker;
import io.moldau.metadata.controller.op.ListPartitionReassignments;
import io.moldau.metadata.controller.op.RegisterBroker;
import io.moldau.metadata.controller.op.RegisterController;
import io.moldau.metadata.controller.op.UnregisterBroker;
import io.moldau.metadata.controller.op.UpdateFeatures;
import io.moldau.metadata.event.EventLoop;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.message.RegisterBrokerResponse;
import io.moldau.metadata.partition.StripedReplicaPlacer;
import io.moldau.metadata.quorum.Applied;
import io.moldau.metadata.quorum.MetadataQuorum;
import io.moldau.metadata.quorum.QuorumListener;
import io.moldau.metadata.quorum.QuorumState;
import io.moldau.metadata.record.MetadataBatch;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.message.AlterConfigsRequestData;
import io.moldau.wire.message.AlterConfigsResponseData;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData;
import io.moldau.wire.message.AlterPartitionReassignmentsResponseData;
import io.moldau.wire.message.AssignReplicasToDirsRequestData;
import io.moldau.wire.message.AssignReplicasToDirsResponseData;
import io.moldau.wire.message.ControllerRegistrationRequestData;
import io.moldau.wire.message.ControllerRegistrationResponseData;
import io.moldau.wire.message.CreatePartitionsRequestData;
import io.moldau.wire.message.CreatePartitionsResponseData;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsResponseData;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.ElectLeadersResponseData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsResponseData;
import io.moldau.wire.message.ListPartitionReassignmentsRequestData;
import io.moldau.wire.message.ListPartitionReassignmentsResponseData;
import io.moldau.wire.message.UnregisterBrokerRequestData;
import io.moldau.wire.message.UnregisterBrokerResponseData;
import io.moldau.wire.message.UnregisterControllerRequestData;
import io.moldau.wire.message.UnregisterControllerResponseData;
import io.moldau.wire.message.UpdateFeaturesRequestData;
import io.moldau.wire.message.UpdateFeaturesResponseData;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The controller of one node. It is active only while its node leads the metadata quorum.
///
/// Requests queue up. One event loop drains the queue: it runs each operation on the state the ones before left, puts
/// the records of all into one batch, appends it in the current epoch, and works on the next drain when this one is
/// applied. So at most one batch is in flight, and the state an operation sees is always the one its records will
/// apply
/// to. All answers of a batch, errors too, wait for the batch: an error may rest on a record that could still be
/// lost.
///
/// All fields below `// Event loop` belong to the event loop. The quorum's callbacks only enqueue.
public final class QuorumController implements Controller, QuorumListener, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(QuorumController.class);

    /// A larger batch buys little throughput and delays heartbeats of the quorum.
    static final int MAX_BATCH_BYTES = 256 << 10;

    static final int MAX_BATCH_OPERATIONS = 2000;

    /// An operation whose records must stay together may not need more; well below what the quorum can append.
    static final int MAX_ATOMIC_BYTES = 3 << 20;

    /// More waiting operations than this are refused.
    static final int MAX_QUEUED = 20_000;

    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /// On a network that works a machine refuses in a fraction of this.
    private static final long PROBE_TIMEOUT_MS = 500;

    /// What the controller asks itself to do has no deadline of its own.
    private static final long INTERNAL_DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final int nodeId;
    private final Uuid clusterId;
    private final ControllerSettings settings;
    private final MetadataQuorum quorum;
    private final EventLoop loop;
    private final Time time;
    private final RandomGenerator random;
    private final ControllerMetrics metrics;
    private final FaultHandler faults;
    private final LivenessProbe probe;

    private final CreateTopics createTopics;
    private final DeleteTopics deleteTopics;
    private final CreatePartitions createPartitions;
    private final AlterConfigs alterConfigs;
    private final ElectLeaders electLeaders;
    private final BalanceLeaders balanceLeaders;
    private final AlterPartitionReassignments alterPartitionReassignments;
    private final ListPartitionReassignments listPartitionReassignments = new ListPartitionReassignments();
    private final RegisterBroker registerBroker;
    private final BrokerHeartbeat brokerHeartbeat;
    private final FenceBroker fenceBroker;
    private final UnregisterBroker unregisterBroker;
    private final RegisterController registerController = new RegisterController();
    private final UpdateFeatures updateFeatures;
    private final AlterPartition alterPartition;
    private final AssignReplicasToDirs assignReplicasToDirs;
    private final AllocateProducerIds allocateProducerIds = new AllocateProducerIds();

    private final AtomicInteger queued = new AtomicInteger();
    private final CompletableFuture<Void> firstActive = new CompletableFuture<>();
    private volatile boolean active;
    private volatile int leaderId = -1;

    // Event loop
    private static final int INACTIVE = -1;
    private final ArrayDeque<Pending<?>> queue = new ArrayDeque<>();
    private final BrokerHeartbeats heartbeats;
    private final CrashDetector crashes;
    private int epoch = INACTIVE;
    /// The image after our last batch: what the next operation is computed on.
    private MetadataImage base = MetadataImage.EMPTY;

    private @Nullable InFlight inFlight;
    private long lastBatchNanos;
    private long nextBalanceNanos;
    private EventLoop.@Nullable Timer tick;
    private EventLoop.@Nullable Timer probeTimer;
    private boolean closed;

    /// An operation, as a function of the state.
    @FunctionalInterface
    private interface Operation<T> {
        ControllerResult<T> run(MetadataImage image);
    }

    /// An operation that waits or whose batch is in flight.
    private static final class Pending<T> {
        private final String name;
        private final long askedNanos;
        private final long deadlineNanos;
        private final Operation<T> operation;
        private final CompletableFuture<T> future;
        /// Runs on the event loop when the records are applied, before the answer goes out.
        private final ObjLongConsumer<T> whenApplied;

        private @Nullable T response;
        private @Nullable ApiException error;

        Pending(
                String name,
                long askedNanos,
                long deadlineNanos,
                Operation<T> operation,
                ObjLongConsumer<T> whenApplied,
                CompletableFuture<T> future) {
            this.name = name;
            this.askedNanos = askedNanos;
            this.deadlineNanos = deadlineNanos;
            this.operation = operation;
            this.whenApplied = whenApplied;
            this.future = future;
        }

        void complete(long index) {
            T answer = response;
            if (error != null) {
                future.completeExceptionally(error);
            } else if (answer != null) {
                whenApplied.accept(answer, index);
                future.complete(answer);
            }
        }
    }

    /// What was appended and not applied yet.
    private record InFlight(
            int epoch, ArrayDeque<MetadataBatch> rest, int records, List<Pending<?>> operations, long startNanos) {}

    /// One that takes no broker for dead before its session ends.
    public QuorumController(
            int nodeId,
            Uuid clusterId,
            ControllerSettings settings,
            MetadataQuorum quorum,
            EventLoop loop,
            Time time,
            RandomGenerator random,
            ConfigValidator validator,
            TopicConfigDescriber describer,
            ControllerMetrics metrics,
            FaultHandler faults) {
        this(
                nodeId,
                clusterId,
                settings,
                quorum,
                loop,
                time,
                random,
                validator,
                describer,
                metrics,
                faults,
                LivenessProbe.none());
    }

    public QuorumController(
            int nodeId,
            Uuid clusterId,
            ControllerSettings settings,
            MetadataQuorum quorum,
            EventLoop loop,
            Time time,
            RandomGenerator random,
            ConfigValidator validator,
            TopicConfigDescriber describer,
            ControllerMetrics metrics,
            FaultHandler faults,
            LivenessProbe probe) {
        this.nodeId = nodeId;
        this.clusterId = clusterId;
        this.settings = settings;
        this.quorum = quorum;
        this.loop = loop;
        this.time = time;
        this.random = random;
        this.metrics = metrics;
        this.faults = faults;
        this.probe = probe;
        var placer = new StripedReplicaPlacer();
        this.createTopics = new CreateTopics(settings, placer, validator, describer, random);
        this.deleteTopics = new DeleteTopics(settings);
        this.createPartitions = new CreatePartitions(placer, random);
        this.alterConfigs = new AlterConfigs(validator, settings);
        this.electLeaders = new ElectLeaders(settings);
        this.balanceLeaders = new BalanceLeaders(settings);
        this.alterPartitionReassignments = new AlterPartitionReassignments(settings);
        this.alterPartition = new AlterPartition(settings);
        this.assignReplicasToDirs = new AssignReplicasToDirs(settings);
        this.registerBroker = new RegisterBroker(settings);
        this.brokerHeartbeat = new BrokerHeartbeat(settings);
        this.fenceBroker = new FenceBroker(settings);
        this.unregisterBroker = new UnregisterBroker(settings);
        this.updateFeatures = new UpdateFeatures(settings);
        long sessionNanos = TimeUnit.MILLISECONDS.toNanos(settings.brokerSessionTimeoutMs());
        this.heartbeats = new BrokerHeartbeats(sessionNanos);
        this.crashes = new CrashDetector(sessionNanos);
    }

    // ---- The API.

    @Override
    public CompletableFuture<CreateTopicsResponseData> createTopics(
            ControllerContext context, CreateTopicsRequestData request) {
        return submit("createTopics", context, image -> createTopics.plan(image, request));
    }

    @Override
    public CompletableFuture<DeleteTopicsResponseData> deleteTopics(
            ControllerContext context, DeleteTopicsRequestData request) {
        return submit("deleteTopics", context, image -> deleteTopics.plan(image, request, context.apiVersion()));
    }

    @Override
    public CompletableFuture<CreatePartitionsResponseData> createPartitions(
            ControllerContext context, CreatePartitionsRequestData request) {
        return submit("createPartitions", context, image -> createPartitions.plan(image, request));
    }

    @Override
    public CompletableFuture<IncrementalAlterConfigsResponseData> incrementalAlterConfigs(
            ControllerContext context, IncrementalAlterConfigsRequestData request) {
        return submit("incrementalAlterConfigs", context, image -> alterConfigs.incremental(image, request));
    }

    @Override
    public CompletableFuture<AlterConfigsResponseData> alterConfigs(
            ControllerContext context, AlterConfigsRequestData request) {
        return submit("alterConfigs", context, image -> alterConfigs.replacing(image, request));
    }

    @Override
    public CompletableFuture<ElectLeadersResponseData> electLeaders(
            ControllerContext context, ElectLeadersRequestData request) {
        return submit("electLeaders", context, image -> electLeaders.plan(image, request));
    }

    @Override
    public CompletableFuture<AlterPartitionReassignmentsResponseData> alterPartitionReassignments(
            ControllerContext context, AlterPartitionReassignmentsRequestData request) {
        return submit(
                "alterPartitionReassignments", context, image -> alterPartitionReassignments.plan(image, request));
    }

    @Override
    public CompletableFuture<ListPartitionReassignmentsResponseData> listPartitionReassignments(
            ControllerContext context, ListPartitionReassignmentsRequestData request) {
        return submit("listPartitionReassignments", context, image -> listPartitionReassignments.plan(image, request));
    }

    @Override
    public CompletableFuture<UnregisterBrokerResponseData> unregisterBroker(
            ControllerContext context, UnregisterBrokerRequestData request) {
        return submit(
                "unregisterBroker",
                context,
                image -> unregisterBroker.plan(image, request),
                (response, index) -> heartbeats.remove(request.brokerId()));
    }

    @Override
    public CompletableFuture<ControllerRegistrationResponseData> registerController(
            ControllerContext context, ControllerRegistrationRequestData request) {
        return submit("registerController", context, image -> registerController.register(image, request));
    }

    @Override
    public CompletableFuture<Boolean> controllerMoved(
            ControllerContext context, int controllerId, List<Endpoint> listeners) {
        return submit("controllerMoved", context, image -> registerController.moved(image, controllerId, listeners));
    }

    @Override
    public CompletableFuture<UnregisterControllerResponseData> unregisterController(
            ControllerContext context, UnregisterControllerRequestData request) {
        return submit("unregisterController", context, image -> registerController.unregister(image, request));
    }

    @Override
    public CompletableFuture<UpdateFeaturesResponseData> updateFeatures(
            ControllerContext context, UpdateFeaturesRequestData request) {
        return submit(
                "updateFeatures", context, image -> updateFeatures.plan(image, request, nodeId, context.apiVersion()));
    }

    @Override
    public CompletableFuture<RegisterBrokerResponse> registerBroker(
            ControllerContext context, RegisterBrokerRequest request) {
        int brokerId = request.getBrokerId();
        return submit(
                        "registerBroker",
                        context,
                        image -> {
                            BrokerRegistration existing = image.cluster().broker(brokerId);
                            boolean live = existing != null
                                    && heartbeats.hasValidSession(brokerId, existing.epoch(), time.nanoseconds());
                            return registerBroker.plan(image, request, live);
                        },
                        (response, index) ->
                                heartbeats.register(brokerId, response.getBrokerEpoch(), index, time.nanoseconds()))
                .thenApply(response -> response.toBuilder()
                        .setRegistrationIndex(quorum.applied().position().index())
                        .build());
    }

    @Override
    public CompletableFuture<BrokerHeartbeatResponse> brokerHeartbeat(
            ControllerContext context, BrokerHeartbeatRequest request) {
        // Ahead of the queue: a heartbeat that waits there may have come before the broker's connection ended.
        signal(() -> crashes.heard(request.getBrokerId(), request.getBrokerEpoch()));
        return submit(
                "brokerHeartbeat",
                context,
                image -> {
                    heard(image, request);
                    return brokerHeartbeat.plan(image, request, heartbeats);
                },
                (response, index) -> {
                    if (request.getWantShutDown()) {
                        heartbeats.shuttingDown(request.getBrokerId(), index);
                    }
                });
    }

    private void heard(MetadataImage image, BrokerHeartbeatRequest request) {
        int brokerId = request.getBrokerId();
        long now = time.nanoseconds();
        BrokerRegistration broker = image.cluster().broker(brokerId);
        if (broker != null && broker.epoch() == request.getBrokerEpoch() && !heartbeats.knows(brokerId)) {
            // Its session had ended; it is back.
            heartbeats.register(brokerId, broker.epoch(), base.offset(), now);
        }
        heartbeats.touch(brokerId, request.getBrokerEpoch(), request.getCurrentMetadataIndex(), now);
    }

    @Override
    public CompletableFuture<AlterPartitionResponse> alterPartition(
            ControllerContext context, AlterPartitionRequest request) {
        return submit("alterPartition", context, image -> alterPartition.plan(image, request));
    }

    @Override
    public CompletableFuture<AssignReplicasToDirsResponseData> assignReplicasToDirs(
            ControllerContext context, AssignReplicasToDirsRequestData request) {
        return submit("assignReplicasToDirs", context, image -> assignReplicasToDirs.plan(image, request));
    }

    @Override
    public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(
            ControllerContext context, AllocateProducerIdsRequest request) {
        return submit("allocateProducerIds", context, image -> allocateProducerIds.plan(image, request));
    }

    @Override
    public void brokerConnectionEnded(int brokerId, long brokerEpoch) {
        signal(() -> {
            if (epoch != INACTIVE && isUnfenced(brokerId, brokerEpoch)) {
                crashes.suspect(brokerId, brokerEpoch, time.nanoseconds());
                probeSuspects();
            }
        });
    }

    @Override
    public boolean isActive() {
        return active;
    }

    /// Completes when this controller has been active once.
    public CompletableFuture<Void> whenFirstActive() {
        return firstActive;
    }

    private <T> CompletableFuture<T> submit(String name, ControllerContext context, Operation<T> operation) {
        return submit(name, context, operation, (response, index) -> {});
    }

    private <T> CompletableFuture<T> submit(
            String name, ControllerContext context, Operation<T> operation, ObjLongConsumer<T> whenApplied) {
        var future = new CompletableFuture<T>();
        if (queued.incrementAndGet() > MAX_QUEUED) {
            queued.decrementAndGet();
            metrics.overloaded();
            future.completeExceptionally(new ApiException(
                    Errors.REQUEST_TIMED_OUT,
                    "More than " + MAX_QUEUED + " operations wait for the controller; try again later."));
            return future;
        }
        var pending = new Pending<>(name, time.nanoseconds(), context.deadlineNanos(), operation, whenApplied, future);
        try {
            loop.execute(() -> enqueue(pending));
        } catch (RejectedExecutionException e) {
            queued.decrementAndGet();
            future.completeExceptionally(notController());
        }
        return future;
    }

    // ---- What the quorum tells. Only enqueues.

    @Override
    public void onLeaderReady(int readyEpoch) {
        signal(() -> activate(readyEpoch));
    }

    @Override
    public void onLeadershipLost() {
        signal(() -> {
            // The news may be about an earlier epoch than the one we are active in by now.
            if (!leadsIn(epoch)) {
                deactivate("leadership of the quorum is lost");
            }
        });
    }

    private void signal(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the controller is closed already", e);
        }
    }

    @Override
    public void onLeaderChanged(int newLeaderId) {
        leaderId = newLeaderId;
    }

    /// The node that leads the quorum as far as this one knows, or -1.
    public int leaderId() {
        return leaderId;
    }

    // ---- Event loop.

    private void enqueue(Pending<?> pending) {
        if (epoch == INACTIVE) {
            queued.decrementAndGet();
            pending.future.completeExceptionally(notController());
            return;
        }
        queue.addLast(pending);
        step();
    }

    private boolean leadsIn(int claimedEpoch) {
        QuorumState state = quorum.state();
        return claimedEpoch != INACTIVE && state.leading() && state.epoch() == claimedEpoch;
    }

    private void activate(int readyEpoch) {
        // The news may be old: leadership can have gone, or gone and come back, since.
        if (closed || readyEpoch == epoch || !leadsIn(readyEpoch)) {
            return;
        }
        deactivate("a new epoch begins");
        epoch = readyEpoch;
        base = quorum.applied().image();
        long now = time.nanoseconds();
        // Nobody knows what the last controller heard: everyone starts with a full session, and has caught up when it
        // has seen what is known now.
        for (BrokerRegistration broker : base.cluster().brokers()) {
            heartbeats.register(broker.id(), broker.epoch(), base.offset(), now);
        }
        List<MetadataRecord> records;
        if (base.isEmpty()) {
            records = Bootstrap.records(clusterId, settings, random);
        } else if (!base.openTransaction().isEmpty()) {
            records = List.of(MetadataRecords.abortTransaction("controller " + nodeId + " took over"));
        } else {
            records = List.of(MetadataRecords.noOp());
        }
        var activation = new Pending<Boolean>(
                "activate",
                now,
                now + INTERNAL_DEADLINE_NANOS,
                image -> ControllerResult.answer(true),
                (response, index) -> opened(),
                new CompletableFuture<>());
        activation.response = true;
        append(records, List.of(activation));
        nextBalanceNanos = now + balanceIntervalNanos();
        tick = loop.schedule(now + TICK_NANOS, this::tick);
        // A broker that went down together with the last controller will not be heard of: no need to wait a session.
        for (BrokerRegistration broker : base.cluster().brokers()) {
            if (!broker.fenced() && broker.id() != nodeId) {
                crashes.suspect(broker.id(), broker.epoch(), now);
            }
        }
        probeSuspects();
    }

    private void opened() {
        active = true;
        metrics.activated(epoch);
        LOG.info(
                "controller is active: node={} epoch={} offset={}",
                nodeId,
                epoch,
                quorum.applied().position().index());
        firstActive.complete(null);
    }

    private void deactivate(String why) {
        if (epoch == INACTIVE) {
            return;
        }
        LOG.info("controller is not active any more: node={} epoch={} reason={}", nodeId, epoch, why);
        epoch = INACTIVE;
        active = false;
        if (tick != null) {
            tick.cancel();
            tick = null;
        }
        if (probeTimer != null) {
            probeTimer.cancel();
            probeTimer = null;
        }
        heartbeats.clear();
        crashes.clear();
        InFlight batch = inFlight;
        inFlight = null;
        if (batch != null) {
            // Whether these take effect is unknown.
            batch.operations().forEach(pending -> pending.future.completeExceptionally(notController()));
        }
        Pending<?> pending;
        while ((pending = queue.pollFirst()) != null) {
            queued.decrementAndGet();
            pending.future.completeExceptionally(notController());
        }
        metrics.deactivated();
    }

    private ApiException notController() {
        int leader = leaderId;
        return new ApiException(
                Errors.NOT_CONTROLLER,
                leader < 0 || leader == nodeId
                        ? "No controller is active at the moment; try again."
                        : "The active controller is node " + leader + ".");
    }

    /// Drains the queue into the next batch, if none is in flight.
    private void step() {
        while (inFlight == null && epoch != INACTIVE && !queue.isEmpty()) {
            var delta = new MetadataDelta(base);
            var records = new ArrayList<MetadataRecord>();
            var operations = new ArrayList<Pending<?>>();
            int bytes = 0;
            while (bytes < MAX_BATCH_BYTES && operations.size() < MAX_BATCH_OPERATIONS) {
                Pending<?> pending = queue.pollFirst();
                if (pending == null) {
                    break;
                }
                queued.decrementAndGet();
                operations.add(pending);
                bytes += run(pending, delta, records);
            }
            if (records.isEmpty()) {
                // Nothing is written, and nothing that is not committed was looked at.
                complete(operations, base.offset());
            } else {
                append(records, operations);
            }
        }
    }

    /// Runs one operation on the state so far. Returns the size of its records.
    private <T> int run(Pending<T> pending, MetadataDelta delta, List<MetadataRecord> records) {
        if (time.nanoseconds() - pending.deadlineNanos >= 0) {
            pending.error = new ApiException(
                    Errors.REQUEST_TIMED_OUT, "The controller did not get to the request within its time limit.");
            return 0;
        }
        ControllerResult<T> result;
        try {
            result = pending.operation.run(delta.current());
        } catch (ApiException e) {
            pending.error = e;
            return 0;
        } catch (RuntimeException e) {
            faults.handle("controller operation " + pending.name, e);
            pending.error = new ApiException(Errors.UNKNOWN_SERVER_ERROR);
            return 0;
        }
        int bytes = 0;
        for (MetadataRecord record : result.records()) {
            bytes += record.getSerializedSize() + 4;
        }
        if (result.atomic() && bytes > MAX_ATOMIC_BYTES) {
            pending.error = new ApiException(
                    Errors.POLICY_VIOLATION,
                    "The request changes too much at once (" + bytes + " bytes of metadata, at most " + MAX_ATOMIC_BYTES
                            + "); split it.");
            return 0;
        }
        delta.replayAll(result.records());
        records.addAll(result.records());
        pending.response = result.response();
        return bytes;
    }

    private void append(List<MetadataRecord> records, List<Pending<?>> operations) {
        var batches = batches(records);
        long now = time.nanoseconds();
        inFlight = new InFlight(epoch, batches, records.size(), operations, now);
        lastBatchNanos = now;
        appendNext();
    }

    /// The records as one batch, unless they are too many for one entry of the log.
    private ArrayDeque<MetadataBatch> batches(List<MetadataRecord> records) {
        var batches = new ArrayDeque<MetadataBatch>();
        var batch = newBatch();
        int bytes = 0;
        for (MetadataRecord record : records) {
            int size = record.getSerializedSize() + 4;
            if (bytes + size > MAX_ATOMIC_BYTES + MAX_BATCH_BYTES) {
                batches.add(batch.build());
                batch = newBatch();
                bytes = 0;
            }
            batch.addRecords(record);
            bytes += size;
        }
        batches.add(batch.build());
        return batches;
    }

    private MetadataBatch.Builder newBatch() {
        return MetadataBatch.newBuilder()
                .setEpoch(epoch)
                .setControllerId(nodeId)
                .setCreatedMs(time.milliseconds());
    }

    private void appendNext() {
        InFlight batch = inFlight;
        if (batch == null) {
            return;
        }
        MetadataBatch next = batch.rest().pollFirst();
        if (next != null) {
            quorum.append(next).whenCompleteAsync((applied, failure) -> appended(batch, applied, failure), loop);
        }
    }

    private void appended(InFlight batch, @Nullable Applied applied, @Nullable Throwable failure) {
        if (inFlight != batch) {
            return; // deactivated meanwhile, and answered then
        }
        if (failure != null || applied == null) {
            deactivate(failure == null ? "a batch had no outcome" : String.valueOf(failure.getMessage()));
            return;
        }
        if (!batch.rest().isEmpty()) {
            appendNext();
            return;
        }
        base = applied.image();
        inFlight = null;
        metrics.batchCommitted(batch.operations().size(), batch.records(), time.nanoseconds() - batch.startNanos());
        complete(batch.operations(), applied.index());
        step();
    }

    private void complete(List<Pending<?>> operations, long index) {
        long now = time.nanoseconds();
        for (Pending<?> pending : operations) {
            metrics.operationDone(pending.name, now - pending.askedNanos);
            pending.complete(index);
        }
    }

    // ---- What the controller does by itself.

    private void tick() {
        long now = time.nanoseconds();
        if (!leadsIn(epoch)) {
            deactivate("leadership went without notice");
            return;
        }
        for (BrokerHeartbeats.Expired expired : heartbeats.expired(now)) {
            crashes.forget(expired.brokerId());
            fence(expired.brokerId(), expired.brokerEpoch(), "its session ended");
        }
        failOverdue(now);
        if (settings.balance().enabled() && now - nextBalanceNanos >= 0) {
            balance(now);
        }
        boolean idle = settings.maxIdleIntervalMs() > 0
                && inFlight == null
                && now - lastBatchNanos >= TimeUnit.MILLISECONDS.toNanos(settings.maxIdleIntervalMs());
        // A no-op lets others measure their lag; alone there is nobody to measure it.
        if (idle && quorum.state().voters().size() > 1) {
            internal("noOp", image -> ControllerResult.atomic(List.of(MetadataRecords.noOp()), true), done -> {});
        }
        tick = loop.schedule(now + TICK_NANOS, this::tick);
    }

    private long balanceIntervalNanos() {
        return TimeUnit.MILLISECONDS.toNanos(settings.balance().checkIntervalMs());
    }

    private void balance(long now) {
        nextBalanceNanos = now + balanceIntervalNanos();
        internal("balanceLeaders", balanceLeaders::plan, more -> {
            if (more) {
                nextBalanceNanos = time.nanoseconds();
            }
        });
    }

    private void fence(int brokerId, long brokerEpoch, String why) {
        heartbeats.remove(brokerId);
        internal("fenceBroker", image -> fenceBroker.plan(image, brokerId, brokerEpoch), fenced -> {
            if (fenced) {
                metrics.brokerFenced(brokerId);
                LOG.info("broker fenced: broker={} brokerEpoch={} reason=\"{}\"", brokerId, brokerEpoch, why);
            }
        });
    }

    // ---- Brokers that may have crashed.

    private boolean isUnfenced(int brokerId, long brokerEpoch) {
        BrokerRegistration broker = base.cluster().broker(brokerId);
        return broker != null && !broker.fenced() && broker.epoch() == brokerEpoch;
    }

    private void probeSuspects() {
        long now = time.nanoseconds();
        int probedIn = epoch;
        for (CrashDetector.Probe due : crashes.due(now)) {
            if (!isUnfenced(due.brokerId(), due.brokerEpoch())) {
                crashes.forget(due.brokerId());
                crashes.probed(due, false, now);
                continue;
            }
            probe.isGone(listener(due.brokerId()), PROBE_TIMEOUT_MS)
                    .whenComplete((gone, failure) ->
                            signal(() -> probed(due, failure == null && Boolean.TRUE.equals(gone), probedIn)));
        }
        if (probeTimer != null) {
            probeTimer.cancel();
            probeTimer = null;
        }
        Long next = crashes.nextDeadlineNanos();
        if (next != null) {
            probeTimer = loop.schedule(next, () -> {
                probeTimer = null;
                probeSuspects();
            });
        }
    }

    private Endpoint listener(int brokerId) {
        BrokerRegistration broker = Objects.requireNonNull(base.cluster().broker(brokerId));
        Endpoint named =
                settings.interBrokerListener() == null ? null : broker.listener(settings.interBrokerListener());
        return named == null ? broker.listeners().getFirst() : named;
    }

    private void probed(CrashDetector.Probe done, boolean gone, int probedIn) {
        boolean crashed = crashes.probed(done, gone, time.nanoseconds());
        if (epoch == INACTIVE || epoch != probedIn) {
            return;
        }
        if (crashed) {
            fence(done.brokerId(), done.brokerEpoch(), "its process is gone");
        }
        probeSuspects();
    }

    private <T> void internal(String name, Operation<T> operation, Consumer<T> then) {
        long now = time.nanoseconds();
        queued.incrementAndGet();
        enqueue(new Pending<>(
                name,
                now,
                now + INTERNAL_DEADLINE_NANOS,
                operation,
                (response, index) -> then.accept(response),
                new CompletableFuture<>()));
    }

    /// While a batch hangs, those behind it still get an answer in time.
    private void failOverdue(long now) {
        queue.removeIf(pending -> {
            if (now - pending.deadlineNanos < 0) {
                return false;
            }
            queued.decrementAndGet();
            pending.future.completeExceptionally(new ApiException(
                    Errors.REQUEST_TIMED_OUT, "The controller did not get to the request within its time limit."));
            return true;
        });
    }

    /// Stops answering. The quorum is closed by its owner.
    @Override
    public void close() {
        signal(() -> {
            deactivate("the node stops");
            closed = true;
        });
        loop.close();
    }
}
