package io.moldau.metadata.controller;

import io.moldau.common.Uuid;
import io.moldau.metadata.controller.op.AlterPartition;
import io.moldau.metadata.controller.op.BalanceLeaders;
import io.moldau.metadata.controller.op.BrokerHeartbeat;
import io.moldau.metadata.controller.op.CreateTopics;
import io.moldau.metadata.controller.op.FenceBroker;
import io.moldau.metadata.controller.op.RegisterBroker;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.image.snapshot.ImageReader;
import io.moldau.metadata.image.snapshot.ImageWriter;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.partition.StripedReplicaPlacer;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/// A program that measures the controller's decisions at scale, without quorum, disk and network:
///
///     MetadataScale [topics] [partitions of each] [brokers]
///
/// Prints the processor time of each step (so that other work on the machine does not count), its
/// records and their bytes. Not a test: it judges nothing.
public final class MetadataScale {

    private final SplittableRandom random = new SplittableRandom(7);
    private final BrokerHeartbeats heartbeats = new BrokerHeartbeats(Long.MAX_VALUE / 2);
    private final ControllerSettings settings = ControllerSettings.DEFAULTS.withMinInsyncReplicas(2);
    private MetadataImage image;

    private MetadataScale(int brokers) {
        image = TestImages.withEligibleLeaders(TestImages.withBrokers(brokers));
        for (int id = 0; id < brokers; id++) {
            heartbeats.register(id, 100 + id, 0, 0);
            heartbeats.touch(id, 100 + id, Long.MAX_VALUE, 0);
        }
    }

    public static void main(String[] args) throws IOException {
        int topics = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
        int partitions = args.length > 1 ? Integer.parseInt(args[1]) : 10;
        int brokers = args.length > 2 ? Integer.parseInt(args[2]) : 3;
        new MetadataScale(brokers).run(Math.max(1, topics / 10), partitions, false);
        new MetadataScale(brokers).run(topics, partitions, true);
    }

    private void run(int topics, int partitions, boolean print) throws IOException {
        long heapBefore = print ? usedHeap() : 0;
        create(topics, partitions, print);
        if (print) {
            System.out.printf("image: %,d KiB of heap%n", (usedHeap() - heapBefore) / 1024);
        }
        alterOne(print);
        step(
                "fence broker 0",
                print,
                () -> new FenceBroker(settings).plan(image, 0, 100).records());
        step("unfence broker 0", print, () -> heartbeat(0, 100).records());
        takeBack(print);
        step(
                "give leaders back, first part",
                print,
                () -> new BalanceLeaders(settings).plan(image).records());
        step(
                "broker 1 crashed and registers",
                print,
                () -> new RegisterBroker(settings)
                        .plan(image, TestImages.registration(1, new Uuid(9, 9)), false)
                        .records());
        snapshot(print);
    }

    private ControllerResult<?> heartbeat(int id, long epoch) {
        return new BrokerHeartbeat(settings)
                .plan(
                        image,
                        BrokerHeartbeatRequest.newBuilder()
                                .setBrokerId(id)
                                .setBrokerEpoch(epoch)
                                .setCurrentMetadataIndex(Long.MAX_VALUE)
                                .build(),
                        heartbeats);
    }

    private void create(int topics, int partitions, boolean print) {
        var create = new CreateTopics(
                settings, new StripedReplicaPlacer(), ConfigValidator.acceptAll(), TopicConfigDescriber.none(), random);
        long start = cpuNanos();
        long slowest = 0;
        for (int i = 0; i < topics; i++) {
            long before = cpuNanos();
            apply(create.plan(
                            image,
                            new CreateTopicsRequestData()
                                    .setTopics(List.of(new CreatableTopic()
                                            .setName("topic-" + i)
                                            .setNumPartitions(partitions)
                                            .setReplicationFactor((short) 3))))
                    .records());
            slowest = Math.max(slowest, cpuNanos() - before);
        }
        if (print) {
            double seconds = (cpuNanos() - start) / 1e9;
            System.out.printf(
                    "create %,d topics of %d partitions, one by one: %.2f s, %,.0f topics/s, slowest %.1f ms%n",
                    topics, partitions, seconds, topics / seconds, slowest / 1e6);
        }
    }

    private void alterOne(boolean print) {
        TopicImage topic = Objects.requireNonNull(image.topics().topic("topic-1"));
        var partition = Objects.requireNonNull(topic.partition(0));
        step(
                "alter the ISR of one partition",
                print,
                () -> new AlterPartition(settings)
                        .plan(
                                image,
                                AlterPartitionRequest.newBuilder()
                                        .setBrokerId(partition.leader())
                                        .setBrokerEpoch(100 + partition.leader())
                                        .addTopics(AlterPartitionRequest.TopicIsr.newBuilder()
                                                .setTopicId(MetadataRecords.id(topic.id()))
                                                .addPartitions(AlterPartitionRequest.PartitionIsr.newBuilder()
                                                        .setLeaderEpoch(partition.leaderEpoch())
                                                        .setPartitionEpoch(partition.partitionEpoch())
                                                        .addNewIsr(AlterPartitionRequest.IsrMember.newBuilder()
                                                                .setBrokerId(partition.leader())
                                                                .setBrokerEpoch(-1))))
                                        .build())
                        .records());
    }

    /// Every leader takes broker 0 back into its ISRs, as after its restart.
    private void takeBack(boolean print) {
        for (var broker : image.cluster().brokers()) {
            var request =
                    AlterPartitionRequest.newBuilder().setBrokerId(broker.id()).setBrokerEpoch(broker.epoch());
            for (TopicImage topic : image.topics().topics()) {
                var wanted = AlterPartitionRequest.TopicIsr.newBuilder().setTopicId(MetadataRecords.id(topic.id()));
                topic.partitions().forEach((id, partition) -> {
                    if (partition.leader() == broker.id()) {
                        var isr = AlterPartitionRequest.PartitionIsr.newBuilder()
                                .setPartitionId(id)
                                .setLeaderEpoch(partition.leaderEpoch())
                                .setPartitionEpoch(partition.partitionEpoch());
                        for (int replica : partition.replicas()) {
                            isr.addNewIsr(AlterPartitionRequest.IsrMember.newBuilder()
                                    .setBrokerId(replica)
                                    .setBrokerEpoch(-1));
                        }
                        wanted.addPartitions(isr);
                    }
                });
                request.addTopics(wanted);
            }
            AlterPartitionRequest built = request.build();
            step(
                    "broker " + broker.id() + "'s ISRs grow, one request",
                    print,
                    () -> new AlterPartition(settings).plan(image, built).records());
        }
    }

    private void snapshot(boolean print) throws IOException {
        var bytes = new ByteArrayOutputStream();
        long start = cpuNanos();
        ImageWriter.write(image, image.offset(), 1, bytes);
        long written = cpuNanos();
        MetadataImage read =
                ImageReader.read(new ByteArrayInputStream(bytes.toByteArray())).image();
        long done = cpuNanos();
        if (print) {
            System.out.printf(
                    "snapshot: %,d KiB, written in %.0f ms, read in %.0f ms, equal %s%n",
                    bytes.size() / 1024, (written - start) / 1e6, (done - written) / 1e6, read.sameContents(image));
        }
    }

    private void step(String what, boolean print, Supplier<List<MetadataRecord>> operation) {
        long start = cpuNanos();
        List<MetadataRecord> records = operation.get();
        long decided = cpuNanos();
        apply(records);
        long applied = cpuNanos();
        if (print) {
            long bytes = records.stream()
                    .mapToLong(MetadataRecord::getSerializedSize)
                    .sum();
            System.out.printf(
                    "%s: decided in %.1f ms, applied in %.1f ms, %,d records, %,d KiB%n",
                    what, (decided - start) / 1e6, (applied - decided) / 1e6, records.size(), bytes / 1024);
        }
    }

    private void apply(List<MetadataRecord> records) {
        var delta = new MetadataDelta(image);
        delta.replayAll(records);
        image = delta.apply(new MetadataProvenance(image.offset() + 1, 1, 0));
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
