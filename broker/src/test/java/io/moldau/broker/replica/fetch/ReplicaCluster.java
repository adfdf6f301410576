package io.moldau.broker.replica.fetch;

import io.moldau.broker.api.data.FetchHandler;
import io.moldau.broker.api.data.FetchSessions;
import io.moldau.broker.api.data.ReadReplicas;
import io.moldau.broker.delayed.Deadlines;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.replica.AlterPartitionSender;
import io.moldau.broker.replica.AppendTerms;
import io.moldau.broker.replica.Durability;
import io.moldau.broker.replica.FollowerTerm;
import io.moldau.broker.replica.HeapMemory;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionChangesPublisher;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.Replication;
import io.moldau.broker.replica.ReplicationThrottle;
import io.moldau.broker.replica.TailCache;
import io.moldau.broker.replica.ThrottledReplicas;
import io.moldau.broker.replica.TopicSettings;
import io.moldau.broker.request.RequestContext;
import io.moldau.common.ApiException;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.HashedWheelTimer;
import io.moldau.log.AppendOutcome;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.LogSlice;
import io.moldau.log.ReadOutcome;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.op.AlterPartition;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.RegisterBrokerRecord;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.testing.MockTime;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.FileRecords;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Brokers with one partition between them and a controller, on one thread: real logs on simulated disks, real
/// partitions, fetchers and fetch handlers, and messages that arrive when the seed says so.
///
/// Whatever may happen next is a task; [#settle] runs them in a random order until none is left, and time moves by
/// [#pass] only.
final class ReplicaCluster implements AutoCloseable {

    static final String TOPIC = "t";
    static final long LAG_MS = 1000;
    private static final String LISTENER = "REPLICATION";
    private static final Uuid TOPIC_ID = new Uuid(5, 5);
    private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

    /// One record as it lies in a log.
    record Entry(long offset, int epoch, String value) {}

    final MockTime time = new MockTime();
    final Random random;
    final FaultHandler.Recording faults = new FaultHandler.Recording();
    final Map<Integer, Broker> brokers = new TreeMap<>();
    final int minInsyncReplicas;

    /// Planted: a follower cuts at its high watermark and believes that the rest is the leader's.
    boolean truncateToHighWatermark;

    /// Which replicas of this topic are throttled.
    ThrottledReplicas throttledLeaders = ThrottledReplicas.NONE;

    ThrottledReplicas throttledFollowers = ThrottledReplicas.NONE;

    Durability durability = Durability.REPLICATED;

    /// Most bytes a follower fetches at a time.
    int fetchMaxBytes = 1 << 20;

    private final HashedWheelTimer timer;
    private final List<Runnable> tasks = new ArrayList<>();
    private MetadataImage image = MetadataImage.EMPTY;
    private long nextBrokerEpoch = 100;

    ReplicaCluster(long seed, int minInsyncReplicas, int... ids) {
        this.random = new Random(seed);
        this.minInsyncReplicas = minInsyncReplicas;
        this.timer = new HashedWheelTimer(time.nanoseconds(), () -> {});
        var records = new ArrayList<MetadataRecord>();
        for (int id : ids) {
            brokers.put(id, new Broker(id));
            records.add(registration(id));
        }
        records.add(MetadataRecords.of(TopicRecord.newBuilder()
                .setName(TOPIC)
                .setTopicId(MetadataRecords.id(TOPIC_ID))
                .build()));
        commit(records);
        brokers.values().forEach(Broker::start);
    }

    // --- what happens next ---

    private void later(Runnable task) {
        tasks.add(task);
    }

    /// Runs one task, if there is one.
    boolean step() {
        if (tasks.isEmpty()) {
            return false;
        }
        tasks.remove(random.nextInt(tasks.size())).run();
        return true;
    }

    /// Until nothing more can happen without time.
    void settle() {
        int steps = 0;
        while (step()) {
            if (++steps > 200_000) {
                throw new AssertionError("the cluster does not come to rest");
            }
        }
    }

    /// Lets time pass, some milliseconds at a time, and everything happen in between.
    void pass(long millis) {
        for (long left = millis; left > 0; left -= 10) {
            time.advanceMillis(Math.min(10, left));
            timer.advanceTo(time.nanoseconds());
            settle();
        }
    }

    /// A little time, and some of what may happen.
    void drift() {
        time.advanceMillis(random.nextInt(15));
        timer.advanceTo(time.nanoseconds());
        for (int i = random.nextInt(12); i > 0; i--) {
            step();
        }
    }

    // --- the controller ---

    private MetadataRecord registration(int id) {
        return MetadataRecords.of(RegisterBrokerRecord.newBuilder()
                .setBrokerId(id)
                .setBrokerEpoch(nextBrokerEpoch++)
                .setFenced(false)
                .setIncarnationId(MetadataRecords.id(new Uuid(3, nextBrokerEpoch)))
                .addEndpoints(MetadataRecords.endpoint(new Endpoint(LISTENER, "PLAINTEXT", "host" + id, 9000 + id)))
                .build());
    }

    private void commit(List<MetadataRecord> records) {
        var delta = new MetadataDelta(image);
        delta.replayAll(records);
        image = delta.apply(new MetadataProvenance(image.offset() + 1, 1, 0));
        MetadataImage now = image;
        brokers.values().forEach(broker -> broker.learn(now));
    }

    @Nullable
    PartitionRegistration registered() {
        return image.topics().partition(PARTITION);
    }

    PartitionRegistration partitionState() {
        return Objects.requireNonNull(registered());
    }

    /// Has that broker lead, with that ISR. All brokers are replicas.
    void lead(int leader, List<Integer> isr) {
        PartitionRegistration before = registered();
        List<Integer> replicas = List.copyOf(brokers.keySet());
        var next = new PartitionRegistration(
                replicas,
                replicas.stream().map(it -> Uuid.ZERO).toList(),
                isr,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                leader,
                LeaderRecoveryState.RECOVERED,
                before == null ? 0 : before.leaderEpoch() + 1,
                before == null ? 0 : before.partitionEpoch() + 1);
        commit(List.of(MetadataRecords.of(next.toRecord(MetadataRecords.id(TOPIC_ID), 0))));
    }

    /// The broker gets another registration, and leaves the ISR with the one it had, while its process, its connections
    /// and the leader epoch stay.
    void registerAgain(int id) {
        PartitionRegistration before = partitionState();
        var next = new PartitionRegistration(
                before.replicas(),
                before.directories(),
                before.isr().stream().filter(member -> member != id).toList(),
                before.addingReplicas(),
                before.removingReplicas(),
                before.elr(),
                before.lastKnownElr(),
                before.leader(),
                before.leaderRecoveryState(),
                before.leaderEpoch(),
                before.partitionEpoch() + 1);
        commit(List.of(registration(id), MetadataRecords.of(next.toRecord(MetadataRecords.id(TOPIC_ID), 0))));
    }

    private CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
        var future = new CompletableFuture<AlterPartitionResponse>();
        later(() -> {
            if (random.nextInt(8) == 0) {
                later(() -> future.completeExceptionally(new ApiException(Errors.NOT_CONTROLLER)));
                if (random.nextBoolean()) {
                    return; // never arrived
                }
            }
            try {
                var result = new AlterPartition(ControllerSettings.DEFAULTS).plan(image, request);
                if (!result.records().isEmpty()) {
                    commit(result.records());
                }
                later(() -> future.complete(result.response()));
            } catch (ApiException e) {
                later(() -> future.completeExceptionally(e));
            }
        });
        return future;
    }

    /// Another number of fetchers for each leader, at one broker.
    void fetchersPerLeader(int broker, int count) {
        Objects.requireNonNull(Objects.requireNonNull(brokers.get(broker)).fetchers)
                .fetchersPerLeader(count, image);
    }

    // --- brokers ---

    /// A process on a disk.
    final class Broker {
        final int id;
        final SimulatedStorage storage = new SimulatedStorage(time, random);
        final ReplicationThrottle leaderThrottle = throttle();
        final ReplicationThrottle followerThrottle = throttle();
        private final Deque<MetadataImage> news = new ArrayDeque<>();
        private MetadataImage known = MetadataImage.EMPTY;
        private final HungUpBrokers hungUp = new HungUpBrokers(() -> known, time);
        private boolean up;
        private int incarnation;
        private @Nullable LogDirs logs;
        private @Nullable PartitionRegistry partitions;
        private @Nullable PartitionChangesPublisher publisher;
        private @Nullable ReplicaFetchers fetchers;
        private @Nullable FetchHandler handler;

        Broker(int id) {
            this.id = id;
        }

        private ReplicationThrottle throttle() {
            return new ReplicationThrottle(time::nanoseconds, 11, TimeUnit.SECONDS.toNanos(1));
        }

        boolean isUp() {
            return up;
        }

        Set<Integer> leadersThatHungUp() {
            return hungUp.in(known);
        }

        /// Of the registration this broker knows of, -1 if it knows of none.
        long epoch() {
            var registration = known.cluster().broker(id);
            return registration == null ? -1 : registration.epoch();
        }

        void start() {
            up = true;
            incarnation++;
            known = MetadataImage.EMPTY;
            news.clear();
            try {
                logs = LogDirs.open(
                        List.of(Path.of("/data")), storage, time, LogDirsConfig.defaults(random), LogMetrics.NONE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Executor background = mine(ReplicaCluster.this::later);
            var sender = new AlterPartitionSender(id, this::epoch, controller(), time, timer, background, faults);
            partitions = new PartitionRegistry(
                    id,
                    logs,
                    () -> known,
                    time,
                    new TailCache(new HeapMemory(), 1 << 20, 1 << 16),
                    faults,
                    new Replication(
                            sender,
                            background,
                            directory -> background,
                            TimeUnit.MILLISECONDS.toNanos(LAG_MS),
                            (broker, brokerEpoch) -> {
                                var registration = known.cluster().broker(broker);
                                return registration != null
                                        && registration.isActive()
                                        && registration.epoch() == brokerEpoch;
                            },
                            leaderThrottle,
                            followerThrottle));
            publisher = new PartitionChangesPublisher(
                    partitions,
                    (of, topic) -> new TopicSettings(
                            LogConfig.DEFAULTS, minInsyncReplicas, durability, throttledLeaders, throttledFollowers));
            fetchers = new ReplicaFetchers(
                    partitions,
                    this::epoch,
                    (broker, host, port) -> new Link(this, Objects.requireNonNull(brokers.get(broker))),
                    hungUp,
                    new FetcherSettings(1, fetchMaxBytes, 10 << 20, 500, 1000, 30_000, 1, LISTENER),
                    time,
                    timer,
                    background,
                    faults);
            handler = new FetchHandler(
                    partitions,
                    new FetchSessions(100, random),
                    background,
                    new HeapMemory(),
                    time,
                    1 << 20,
                    ReadReplicas.LEADER_ONLY);
            learn(image);
        }

        /// Runs what it is given only while this process lives.
        private Executor mine(Executor executor) {
            int now = incarnation;
            return task -> executor.execute(() -> {
                if (up && incarnation == now) {
                    task.run();
                }
            });
        }

        /// The process ends; the disk keeps what was written, or after a power cut what was forced.
        void crash(boolean powerCut) {
            up = false;
            news.clear();
            Objects.requireNonNull(fetchers).close();
            Objects.requireNonNull(logs).abandon();
            if (powerCut) {
                storage.cutPower(SimulatedStorage.Unforced.LOST);
            } else {
                storage.killProcess();
            }
        }

        /// The process starts again and registers.
        void restart() {
            commit(List.of(registration(id)));
            start();
        }

        private void learn(MetadataImage newer) {
            if (up) {
                news.add(newer);
                mine(ReplicaCluster.this::later).execute(this::publish);
            }
        }

        private void publish() {
            MetadataImage next = news.poll();
            if (next == null) {
                return;
            }
            MetadataDelta delta = MetadataDelta.between(known, next);
            known = next;
            var manifest = new LoaderManifest.LogDelta(next.provenance(), 1, 0);
            Objects.requireNonNull(publisher).onMetadataUpdate(delta, next, manifest);
            if (truncateToHighWatermark) {
                delta.topicsDelta().localChanges(id).followers().forEach((partition, registration) -> {
                    Partition here = partition();
                    here.truncateAsFollower(
                            new FollowerTerm(registration.leader(), registration.leaderEpoch()),
                            here.highWatermark(),
                            outcome -> {});
                });
            }
            Objects.requireNonNull(fetchers).onMetadataUpdate(delta, next, manifest);
        }

        Partition partition() {
            return Objects.requireNonNull(partitionIfAny());
        }

        @Nullable
        Partition partitionIfAny() {
            return up
                            && Objects.requireNonNull(partitions).get(PARTITION)
                                    instanceof HostedPartition.Online(Partition partition)
                    ? partition
                    : null;
        }

        /// Time passes for the ISR.
        void tick() {
            Partition here = partitionIfAny();
            if (here != null) {
                here.checkFollowers();
            }
        }

        void flush() {
            Objects.requireNonNull(logs).flushAll();
        }

        /// Makes what the process knows durable, as from time to time in the background.
        void checkpoint() {
            Objects.requireNonNull(logs).checkpoint();
        }

        /// What lies in the log from its start on.
        List<Entry> entries() {
            var entries = new ArrayList<Entry>();
            for (var batch : batches()) {
                for (var it : batch.records(DecompressionLimits.DEFAULT)) {
                    ByteBuffer value = Objects.requireNonNull(it.value());
                    entries.add(new Entry(
                            it.offset(),
                            batch.partitionLeaderEpoch(),
                            StandardCharsets.UTF_8.decode(value.duplicate()).toString()));
                }
            }
            return entries;
        }

        List<RecordBatch> batches() {
            var found = new ArrayList<RecordBatch>();
            var log = partition().log();
            long next = log.logStartOffset();
            while (next < log.logEndOffset()) {
                if (!(log.read(next, 1 << 20, Long.MAX_VALUE, true) instanceof ReadOutcome.Slice(LogSlice slice))) {
                    throw new AssertionError("offset " + next + " cannot be read");
                }
                var bytes = ByteBuffer.allocate(slice.sizeInBytes());
                try {
                    slice.read(bytes);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } finally {
                    slice.release();
                }
                var batches = new RecordBatches(bytes.flip());
                while (batches.tryNext() == RecordBatches.Step.BATCH) {
                    var batch = batches.batch();
                    found.add(RecordBatch.at(batch.slice()));
                    next = batch.nextOffset();
                }
            }
            return found;
        }

        List<String> values() {
            return entries().stream().map(Entry::value).toList();
        }

        /// Appends one record, if this broker believes that it leads.
        ///
        /// @param allInSync with acks=all
        /// @param acknowledged told when it is committed
        AppendOutcome produce(String value, boolean allInSync, Runnable acknowledged) {
            var batch = new BatchBuilder()
                    .append(time.milliseconds(), null, value.getBytes(StandardCharsets.UTF_8))
                    .build();
            return append(batch, allInSync ? AppendTerms.CLIENT_ALL : AppendTerms.CLIENT_LEADER, acknowledged);
        }

        /// The same for any batch.
        AppendOutcome append(ByteBuffer batch, AppendTerms terms, Runnable acknowledged) {
            var outcome = new AppendOutcome[1];
            Partition here = partition();
            here.appendAsLeader(HeapRecords.of(batch), terms, it -> outcome[0] = it);
            AppendOutcome done = Objects.requireNonNull(outcome[0]);
            if (done instanceof AppendOutcome.Appended appended) {
                here.whenHighWatermarkReaches(appended.lastOffset() + 1, error -> {
                    if (error == Errors.NONE) {
                        acknowledged.run();
                    }
                });
            }
            return done;
        }

        AppendOutcome produce(String value) {
            return produce(value, true, () -> {});
        }

        @Override
        public String toString() {
            return "broker " + id + (up ? " " + partitionIfAny() : " down");
        }
    }

    private NodeToController controller() {
        return (NodeToController) Proxy.newProxyInstance(
                ReplicaCluster.class.getClassLoader(),
                new Class<?>[] {NodeToController.class},
                (proxy, method, arguments) -> {
                    if (!method.getName().equals("alterPartition")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return alterPartition((AlterPartitionRequest) arguments[0]);
                });
    }

    // --- the network ---

    /// A connection from a follower to a leader: requests and answers keep their order, and arrive when they like.
    private final class Link implements LeaderEndpoint {
        private final Broker to;
        private final int ofIncarnation;
        private final boolean reached;
        private final Deque<Runnable> onTheWay = new ArrayDeque<>();
        private final Deque<Exchange> open = new ArrayDeque<>();
        private boolean broken;

        Link(Broker from, Broker to) {
            this.to = to;
            this.reached = to.up;
            this.ofIncarnation = to.incarnation;
        }

        private boolean isDown() {
            return broken || !to.up || to.incarnation != ofIncarnation;
        }

        private void carry(Runnable message) {
            onTheWay.add(message);
            later(() -> {
                Runnable next = onTheWay.poll();
                if (next != null) {
                    next.run();
                }
            });
        }

        @Override
        public CompletableFuture<Answer> fetch(FetchRequestData request, long timeoutMs) {
            var exchange = new Exchange(this);
            if (!reached) {
                later(() -> exchange.future.completeExceptionally(new ApiException(Errors.NETWORK_EXCEPTION)));
                return exchange.future;
            }
            if (truncateToHighWatermark) {
                request.topics().forEach(topic -> topic.partitions().forEach(it -> it.setLastFetchedEpoch(-1)));
            }
            FetchRequestData sent = copy(request, new FetchRequestData(), FETCH_VERSION);
            timer.schedule(
                    time.nanoseconds() + TimeUnit.MILLISECONDS.toNanos(2000), () -> later(() -> breakIf(exchange)));
            carry(() -> {
                if (isDown()) {
                    breakIf(exchange);
                    return;
                }
                open.add(exchange);
                Objects.requireNonNull(to.handler).handle(exchange, sent);
            });
            return exchange.future;
        }

        /// The other side is gone, or silent for too long.
        private void breakIf(Exchange exchange) {
            if (!exchange.future.isDone()) {
                exchange.future.completeExceptionally(new ApiException(Errors.NETWORK_EXCEPTION));
            }
        }

        /// Answers leave in the order of the requests.
        private void flush() {
            while (!open.isEmpty() && open.peek().response != null) {
                Exchange done = open.remove();
                carry(() -> {
                    if (isDown()) {
                        breakIf(done);
                    } else {
                        done.future.complete(new Answer() {
                            @Override
                            public FetchResponseData response() {
                                return Objects.requireNonNull(done.response);
                            }

                            @Override
                            public void close() {}
                        });
                    }
                });
            }
        }

        @Override
        public void close() {
            broken = true;
            open.forEach(Exchange::leave);
        }
    }

    /// One fetch at the leader.
    private final class Exchange implements RequestContext {
        private final Link link;
        private final CompletableFuture<LeaderEndpoint.Answer> future = new CompletableFuture<>();
        private @Nullable FetchResponseData response;
        private @Nullable Runnable giveUp;

        Exchange(Link link) {
            this.link = link;
        }

        private void leave() {
            Runnable once = giveUp;
            giveUp = null;
            if (once != null && response == null && link.to.up) {
                later(once);
            }
        }

        @Override
        public ApiKey apiKey() {
            return ApiKey.FETCH;
        }

        @Override
        public short apiVersion() {
            return LeaderEndpoint.FETCH_VERSION;
        }

        @Override
        public int correlationId() {
            return 0;
        }

        @Override
        public String clientId() {
            return "follower";
        }

        @Override
        public String listenerName() {
            return LISTENER;
        }

        @Override
        public String principal() {
            return "User:ANONYMOUS";
        }

        @Override
        public String clientAddress() {
            return "127.0.0.1";
        }

        @Override
        public long receivedNanos() {
            return time.nanoseconds();
        }

        @Override
        public void respond(Message message) {
            FetchResponseData data = (FetchResponseData) message;
            data.responses().forEach(topic -> topic.partitions().forEach(it -> it.setRecords(onHeap(it.records()))));
            response = copy(data, new FetchResponseData(), LeaderEndpoint.FETCH_VERSION);
            link.flush();
        }

        @Override
        public void respondNothing() {
            throw new AssertionError("answered with nothing");
        }

        @Override
        public void disconnect(String reason) {
            throw new AssertionError("disconnected: " + reason);
        }

        @Override
        public void whenDisconnected(Runnable action) {
            giveUp = action;
            if (link.broken) {
                leave();
            }
        }

        @Override
        public Executor executor() {
            return link.to.mine(ReplicaCluster.this::later);
        }

        @Override
        public boolean inExecutor() {
            return true;
        }

        @Override
        public Deadlines deadlines() {
            Executor executor = executor();
            return new Deadlines() {
                @Override
                public long nowNanos() {
                    return time.nanoseconds();
                }

                @Override
                public Deadline after(long delayNanos, Runnable task) {
                    var scheduled = timer.schedule(time.nanoseconds() + delayNanos, () -> executor.execute(task));
                    return scheduled::cancel;
                }
            };
        }
    }

    private static <M extends Message> M copy(Message from, M to, short version) {
        var out = new ByteBufferWritable();
        from.write(out, version);
        to.read(new ByteBufferReadable(out.toByteBuffer()), version);
        return to;
    }

    private static HeapRecords onHeap(@Nullable RecordBytes records) {
        if (records == null) {
            return HeapRecords.empty();
        }
        var bytes = ByteBuffer.allocate(records.sizeInBytes());
        put(records, bytes);
        return HeapRecords.of(bytes.flip());
    }

    private static void put(RecordBytes records, ByteBuffer to) {
        switch (records) {
            case io.moldau.broker.replica.RecordParts several -> several.parts().forEach(part -> put(part, to));
            case BufferRecords inMemory -> {
                to.put(inMemory.buffer());
                inMemory.release();
            }
            case FileRecords inFile -> {
                try {
                    int end = to.position() + inFile.sizeInBytes();
                    long at = inFile.position();
                    while (to.position() < end) {
                        ByteBuffer rest = to.duplicate().limit(end);
                        int read = inFile.channel().read(rest, at);
                        if (read <= 0) {
                            throw new AssertionError("a segment ends inside a batch");
                        }
                        at += read;
                        to.position(rest.position());
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } finally {
                    inFile.release();
                }
            }
            default -> throw new AssertionError(records);
        }
    }

    @Override
    public void close() {
        brokers.values().forEach(broker -> {
            if (broker.up) {
                broker.crash(false);
            }
        });
    }
}
