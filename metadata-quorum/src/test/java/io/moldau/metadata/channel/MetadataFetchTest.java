package io.moldau.metadata.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.controller.op.Bootstrap;
import io.moldau.metadata.event.ManualEventLoop;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.RandomRecords;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.loader.MetadataLoader;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.message.FetchMetadataRequest;
import io.moldau.metadata.message.FetchMetadataResponse;
import io.moldau.metadata.message.FetchSnapshotRequest;
import io.moldau.metadata.message.FetchSnapshotResponse;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.message.RegisterBrokerResponse;
import io.moldau.metadata.message.SnapshotId;
import io.moldau.metadata.quorum.SimulatedQuorum;
import io.moldau.metadata.record.MetadataBatch;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.protocol.Message;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Brokers that follow the log of a simulated quorum.
class MetadataFetchTest {

    @TempDir
    Path scratch;

    private final MockTime time = new MockTime();
    private final FaultHandler.Recording faults = new FaultHandler.Recording();
    private SplittableRandom random = new SplittableRandom(1);
    private SimulatedQuorum.Group group = new SimulatedQuorum.Group(2, random);
    private int epoch;

    private void elect(int leader) {
        group.elect(leader);
        group.runAll();
        epoch++;
    }

    private void append(List<MetadataRecord> records) {
        group.member(group.leader())
                .append(MetadataBatch.newBuilder()
                        .setEpoch(epoch)
                        .addAllRecords(records)
                        .build());
        group.runAll();
    }

    private void bootstrap() {
        elect(0);
        append(Bootstrap.records(TestImages.CLUSTER, ControllerSettings.DEFAULTS, random));
    }

    private MetadataImage image() {
        return group.member(group.leader()).applied().image();
    }

    private final List<ManualEventLoop> loops = new ArrayList<>();

    private ManualEventLoop loop() {
        var loop = new ManualEventLoop(time);
        loops.add(loop);
        return loop;
    }

    private void runAll() {
        boolean busy = true;
        while (busy) {
            busy = group.step();
            for (ManualEventLoop loop : loops) {
                busy |= loop.step();
            }
        }
    }

    private MetadataFetchService service(int member) {
        return new MetadataFetchService(TestImages.CLUSTER, group.member(member), loop(), time);
    }

    private static FetchMetadataRequest.Builder from(long index) {
        return FetchMetadataRequest.newBuilder()
                .setClusterId(MetadataRecords.id(TestImages.CLUSTER))
                .setBrokerId(5)
                .setNextIndex(index)
                .setMaxBytes(1 << 20)
                .setMaxWaitMs(500);
    }

    private FetchMetadataResponse fetch(MetadataFetchService service, FetchMetadataRequest.Builder request) {
        var answer = service.fetchMetadata(request.build());
        runAll();
        assertThat(answer).isDone();
        return answer.join();
    }

    private static Errors error(FetchMetadataResponse response) {
        return Errors.forCode((short) response.getErrorCode());
    }

    @Test
    void aBrokerAtTheEndWaitsAndIsWokenByTheNextEntry() {
        bootstrap();
        MetadataFetchService service = service(1);
        long next = group.committedIndex() + 1;
        var answer = service.fetchMetadata(from(next).build());
        runAll();
        assertThat(answer).isNotDone();

        append(List.of(MetadataRecords.noOp()));
        runAll();
        FetchMetadataResponse response = answer.join();
        assertThat(response.getEntriesCount()).isEqualTo(1);
        assertThat(response.getEntries(0).getIndex()).isEqualTo(next);
        assertThat(response.getNextIndex()).isEqualTo(next + 1);
        assertThat(response.getLeaderId()).isZero();
        assertThat(response.getVotersList()).containsExactly(0, 1);
    }

    @Test
    void waitingHasAnEnd() {
        bootstrap();
        MetadataFetchService service = service(1);
        long next = group.committedIndex() + 1;
        var answer = service.fetchMetadata(from(next).build());
        runAll();
        time.advanceMillis(501);
        runAll();
        assertThat(answer.join().getEntriesCount()).isZero();
        assertThat(answer.join().getNextIndex()).isEqualTo(next);
    }

    @Test
    void aBrokerAheadOfTheControllerWaitsToo() {
        bootstrap();
        MetadataFetchService service = service(1);
        var answer = service.fetchMetadata(from(group.committedIndex() + 10).build());
        runAll();
        assertThat(answer).isNotDone();
        time.advanceMillis(501);
        runAll();
        assertThat(error(answer.join())).isEqualTo(Errors.NONE);
        assertThat(answer.join().getAppliedIndex()).isEqualTo(group.committedIndex());
    }

    @Test
    void oldEntriesComeFromTheLogAndOlderOnesFromASnapshot() {
        group = new SimulatedQuorum.Group(1, random, 1 << 20, 3);
        bootstrap();
        for (int i = 0; i < 20; i++) {
            append(List.of(MetadataRecords.noOp()));
        }
        MetadataFetchService service = service(0);
        // The tail in memory has three entries; the rest comes from the log.
        assertThat(group.member(0).applied().tail(1, 1000)).isNull();
        FetchMetadataResponse all = fetch(service, from(0));
        assertThat(all.getEntriesCount()).isEqualTo(21);
        assertThat(all.getNextIndex()).isEqualTo(group.committedIndex() + 1);

        group.purgeBefore(10);
        assertThat(error(fetch(service, from(5)))).isEqualTo(Errors.SNAPSHOT_NOT_FOUND);
        group.member(0).takeSnapshot();
        FetchMetadataResponse behind = fetch(service, from(5));
        assertThat(behind.hasSnapshot()).isTrue();
        assertThat(behind.getSnapshot().getIndex()).isEqualTo(group.committedIndex());
        assertThat(fetch(service, from(15)).hasSnapshot()).isFalse();
    }

    @Test
    void answersAreCutAtTheirSizeButNeverEmpty() {
        bootstrap();
        for (int i = 0; i < 10; i++) {
            append(List.of(MetadataRecords.noOp()));
        }
        MetadataFetchService service = service(0);
        FetchMetadataResponse one = fetch(service, from(0).setMaxBytes(1));
        assertThat(one.getEntriesCount()).isEqualTo(1);
        assertThat(one.getNextIndex()).isEqualTo(one.getEntries(0).getIndex() + 1);
    }

    @Test
    void strangersAreTurnedAway() {
        bootstrap();
        MetadataFetchService service = service(0);
        assertThat(error(fetch(service, from(0).setClusterId(MetadataRecords.id(new Uuid(4, 4))))))
                .isEqualTo(Errors.INCONSISTENT_CLUSTER_ID);
        FetchMetadataResponse other = fetch(service, from(0).setIncarnation(MetadataRecords.id(new Uuid(4, 4))));
        assertThat(error(other)).isEqualTo(Errors.INCONSISTENT_CLUSTER_ID);
        assertThat(other.getErrorMessage()).contains("created anew");
        assertThat(error(fetch(
                        service,
                        from(0).setIncarnation(
                                        MetadataRecords.id(image().cluster().incarnation())))))
                .isEqualTo(Errors.NONE);
        assertThat(error(fetch(service, from(2).setLastTerm(9)))).isEqualTo(Errors.FENCED_LEADER_EPOCH);
        assertThat(error(fetch(service, from(1).setLastTerm(1)))).isEqualTo(Errors.NONE);
        assertThat(error(fetch(service, from(-1)))).isEqualTo(Errors.INVALID_REQUEST);
    }

    @Test
    void aSnapshotIsReadInPieces() {
        bootstrap();
        MetadataFetchService service = service(0);
        group.member(0).takeSnapshot();
        var latest = group.member(0).snapshots().latest();
        assertThat(latest).isNotNull();
        var id = SnapshotId.newBuilder()
                .setIndex(latest.index())
                .setTerm(latest.term())
                .setSize(latest.sizeInBytes());
        var request = FetchSnapshotRequest.newBuilder()
                .setClusterId(MetadataRecords.id(TestImages.CLUSTER))
                .setSnapshot(id)
                .setPosition(10)
                .setMaxBytes(7);
        var chunk = service.fetchSnapshot(request.build());
        var outside = service.fetchSnapshot(
                request.setPosition(latest.sizeInBytes() + 1).build());
        var gone = service.fetchSnapshot(
                request.setPosition(0).setSnapshot(id.setIndex(0)).build());
        runAll();
        assertThat(chunk.join().getData().size()).isEqualTo(7);
        assertThat(outside.join().getErrorCode()).isEqualTo(Errors.POSITION_OUT_OF_RANGE.code());
        assertThat(gone.join().getErrorCode()).isEqualTo(Errors.SNAPSHOT_NOT_FOUND.code());
    }

    // ---- The broker's side.

    /// The fetch calls of a node, to one controller, that fail when a test says so.
    private final class Channel implements NodeToController {
        private final MetadataFetchService service;
        private boolean broken;

        Channel(MetadataFetchService service) {
            this.service = service;
        }

        private <T> CompletableFuture<T> refused() {
            return CompletableFuture.failedFuture(new ApiException(Errors.NETWORK_EXCEPTION));
        }

        @Override
        public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
            return broken ? refused() : service.fetchMetadata(request);
        }

        @Override
        public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
            return broken ? refused() : service.fetchSnapshot(request);
        }

        @Override
        public CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request) {
            return refused();
        }

        @Override
        public CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request) {
            return refused();
        }

        @Override
        public CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
            return refused();
        }

        @Override
        public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request) {
            return refused();
        }

        @Override
        public CompletableFuture<Message> forward(ControllerContext context, Message request) {
            return refused();
        }
    }

    private static final class Walk implements ControllerChannels {
        private final List<Channel> channels;
        private int at;

        Walk(List<Channel> channels) {
            this.channels = channels;
        }

        @Override
        public NodeToController current() {
            return channels.get(at % channels.size());
        }

        @Override
        public void failed(NodeToController channel) {
            if (channel == current()) {
                at++;
            }
        }
    }

    /// Checks that what publishers are told fits together, and keeps the last image.
    private static final class Follower implements MetadataPublisher {
        private MetadataImage image = MetadataImage.EMPTY;
        private int snapshots;

        @Override
        public String name() {
            return "follower";
        }

        @Override
        public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
            assertThat(delta.base()).isSameAs(image);
            assertThat(delta.current().sameContents(newImage)).isTrue();
            assertThat(manifest.provenance()).isEqualTo(newImage.provenance());
            if (manifest instanceof LoaderManifest.Snapshot) {
                snapshots++;
            }
            image = newImage;
        }
    }

    @Seeds(count = 40)
    void aFollowerEndsWithTheControllersImageWhateverFails(long seed) {
        random = new SplittableRandom(seed);
        group = new SimulatedQuorum.Group(2, random.split(), 1 << 20, 1 + random.nextInt(10));
        bootstrap();
        var channels = List.of(new Channel(service(0)), new Channel(service(1)));
        var follower = new Follower();
        ManualEventLoop loop = loop();
        var loader = new MetadataLoader(loop, time, faults, List.of(follower));
        var fetcher = new MetadataFetcher(
                5, TestImages.CLUSTER, new Walk(channels), loader, scratch.resolve("snapshot-" + seed), loop, time);
        var records = new RandomRecords(random.split());
        boolean started = false;
        for (int i = 0; i < 200; i++) {
            switch (random.nextInt(10)) {
                case 0 -> channels.get(random.nextInt(2)).broken = random.nextBoolean();
                case 1 -> {
                    // Both keep a snapshot before the log forgets.
                    group.runAll();
                    group.members().forEach(SimulatedQuorum::takeSnapshot);
                    group.purgeBefore(group.committedIndex() + 1);
                }
                case 2 -> elect(random.nextInt(2));
                case 3 -> {
                    if (!started) {
                        fetcher.start();
                        started = true;
                    }
                }
                case 4 -> time.advanceMillis(random.nextInt(2000));
                case 5, 6 -> runAll();
                default -> {
                    List<MetadataRecord> next = records.next(image());
                    if (!next.isEmpty()) {
                        append(next);
                    }
                }
            }
        }
        if (!started) {
            fetcher.start();
        }
        channels.forEach(channel -> channel.broken = false);
        for (int i = 0; i < 5; i++) {
            runAll();
            time.advanceMillis(2000);
        }
        assertThat(follower.image.sameContents(image())).isTrue();
        assertThat(fetcher.whenCaughtUp()).isCompleted();
        assertThat(fetcher.appliedIndex()).isEqualTo(group.committedIndex());
        assertThat(faults.faults()).isEmpty();
    }

    @Test
    void aFollowerKnowsHowFarItIsBehindAndForHowLongNobodyHasAnswered() {
        bootstrap();
        var channel = new Channel(service(0));
        ManualEventLoop loop = loop();
        var loader = new MetadataLoader(loop, time, faults, List.of());
        var fetcher = new MetadataFetcher(
                5,
                TestImages.CLUSTER,
                ControllerChannels.only(channel),
                loader,
                scratch.resolve("snapshot"),
                loop,
                time);
        fetcher.start();
        runAll();
        assertThat(fetcher.progress()).isEqualTo(new MetadataFetcher.Progress(0, 0));

        channel.broken = true;
        // The fetch that waits at the controller still comes back.
        time.advanceMillis(20_000);
        runAll();
        long silentNanos = fetcher.progress().silentNanos();
        time.advanceMillis(7_000);
        runAll();
        assertThat(fetcher.progress().silentNanos() - silentNanos).isEqualTo(7_000_000_000L);

        channel.broken = false;
        append(new RandomRecords(random).next(image()));
        time.advanceMillis(2_000);
        runAll();
        assertThat(fetcher.progress().entriesBehind()).isZero();
        assertThat(fetcher.progress().silentNanos()).isLessThan(2_000_000_000L);
    }

    @Test
    void aPublisherThatComesLateIsToldEverythingAndOneThatThrowsStopsNobody() {
        bootstrap();
        ManualEventLoop loop = loop();
        var throwing = new MetadataPublisher() {
            @Override
            public String name() {
                return "throwing";
            }

            @Override
            public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
                throw new IllegalStateException("on purpose");
            }
        };
        var follower = new Follower();
        var loader = new MetadataLoader(loop, time, faults, List.of(throwing, follower));
        var fetcher = new MetadataFetcher(
                5,
                TestImages.CLUSTER,
                ControllerChannels.only(new Channel(service(0))),
                loader,
                scratch.resolve("s"),
                loop,
                time);
        fetcher.start();
        runAll();
        assertThat(follower.image.sameContents(image())).isTrue();
        assertThat(faults.faults())
                .singleElement()
                .satisfies(fault -> assertThat(fault.where()).contains("throwing"));

        var late = new Follower();
        loader.addPublisher(late);
        runAll();
        assertThat(late.image).isEqualTo(follower.image);
        assertThat(late.snapshots).isEqualTo(1);
    }
}
