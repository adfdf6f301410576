package io.moldau.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import io.moldau.metadata.channel.ControllerChannels;
import io.moldau.metadata.channel.MetadataFetcher;
import io.moldau.metadata.controller.ConfigValidator;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.event.ThreadEventLoop;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.MetadataLoader;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.record.EndpointRecord;
import io.moldau.metadata.record.FeatureRange;
import io.moldau.metadata.record.Id;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A quorum of one on Ratis and a real disk.
class MetadataQuorumNodeTest {

    private static final Time TIME = new SystemTime();

    @TempDir
    Path directory;

    private final FaultHandler.Recording faults = new FaultHandler.Recording();

    private MetadataQuorumNode start() throws Exception {
        MetadataQuorumNode node = MetadataQuorumNode.start(
                MetadataQuorumConfig.alone(1, null, directory, ControllerSettings.DEFAULTS),
                new MetadataQuorumNode.Services(TIME, new SplittableRandom(1), ConfigValidator.acceptAll(), faults));
        node.awaitActive(Duration.ofSeconds(30));
        return node;
    }

    private static void registerBroker(MetadataQuorumNode node) throws Exception {
        var registered = node.nodeToController()
                .register(RegisterBrokerRequest.newBuilder()
                        .setBrokerId(1)
                        .setClusterId(MetadataRecords.id(node.clusterId()))
                        .setIncarnationId(
                                Id.newBuilder().setHigh(TIME.nanoseconds()).setLow(1))
                        .addEndpoints(EndpointRecord.newBuilder()
                                .setListener("PLAINTEXT")
                                .setSecurityProtocol("PLAINTEXT")
                                .setHost("localhost")
                                .setPort(9092))
                        .addFeatures(FeatureRange.newBuilder()
                                .setName("metadata.version")
                                .setMinLevel(1)
                                .setMaxLevel(33))
                        .setPreviousBrokerEpoch(-1)
                        .build())
                .get(10, TimeUnit.SECONDS);
        var heartbeat = node.nodeToController()
                .heartbeat(BrokerHeartbeatRequest.newBuilder()
                        .setBrokerId(1)
                        .setBrokerEpoch(registered.getBrokerEpoch())
                        .setCurrentMetadataIndex(registered.getRegistrationIndex())
                        .build())
                .get(10, TimeUnit.SECONDS);
        assertThat(heartbeat.getIsFenced()).isFalse();
    }

    @Test
    void aBrokerFollowsThroughTheNodeAndStartsFromItsSnapshot() throws Exception {
        try (MetadataQuorumNode node = start()) {
            registerBroker(node);
            node.quorum().takeSnapshot().get(10, TimeUnit.SECONDS);
            assertThat(followed(node).sameContents(node.image())).isTrue();
        }
        try (MetadataQuorumNode node = start()) {
            assertThat(followed(node).sameContents(node.image())).isTrue();
            assertThat(node.image().cluster().broker(1)).isNotNull();
        }
        assertThat(faults.faults()).isEmpty();
    }

    private MetadataImage followed(MetadataQuorumNode node) throws Exception {
        var loop = new ThreadEventLoop("loader", TIME, faults);
        var loader = new MetadataLoader(loop, TIME, faults, List.of());
        try (var fetcher = new MetadataFetcher(
                1,
                node.clusterId(),
                ControllerChannels.only(node.nodeToController()),
                loader,
                directory.resolve("fetched.snapshot"),
                loop,
                TIME)) {
            fetcher.start();
            fetcher.whenCaughtUp().get(10, TimeUnit.SECONDS);
            return loader.image();
        }
    }

    @Test
    void topicsSurviveARestart() throws Exception {
        MetadataImage before;
        try (MetadataQuorumNode node = start()) {
            registerBroker(node);
            var request = new CreateTopicsRequestData()
                    .setTopics(List.of(new CreatableTopic()
                            .setName("orders")
                            .setNumPartitions(3)
                            .setReplicationFactor((short) 1)));
            var response = node.controller()
                    .createTopics(
                            new ControllerContext("User:a", "", (short) 7, TIME.nanoseconds() + 10_000_000_000L),
                            request)
                    .get(10, TimeUnit.SECONDS);
            assertThat(response.topics().getFirst().errorCode()).isEqualTo(Errors.NONE.code());
            before = node.image();
            var topic = before.topics().topic("orders");
            assertThat(topic).isNotNull();
            assertThat(topic.partitions()).hasSize(3);
        }
        try (MetadataQuorumNode node = start()) {
            assertThat(node.image().sameContents(before)).isTrue();
        }
        assertThat(faults.faults()).isEmpty();
    }
}
