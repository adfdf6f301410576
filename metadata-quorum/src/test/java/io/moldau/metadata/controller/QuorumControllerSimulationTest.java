package io.moldau.metadata.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.Uuid;
import io.moldau.metadata.event.ManualEventLoop;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.quorum.SimulatedQuorum;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableReplicaAssignment;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import io.moldau.wire.message.CreateTopicsResponseData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Three controllers on a simulated quorum whose leader changes again and again.
class QuorumControllerSimulationTest {

    private static final class Cluster {
        final SplittableRandom random;
        final MockTime time = new MockTime();
        final FaultHandler.Recording faults = new FaultHandler.Recording();
        final SimulatedQuorum.Group group;
        final List<QuorumController> controllers = new ArrayList<>();
        final List<ManualEventLoop> loops = new ArrayList<>();
        /// Hosts at which nobody listens.
        final Set<String> gone = new HashSet<>();

        Cluster(long seed) {
            random = new SplittableRandom(seed);
            group = new SimulatedQuorum.Group(3, random.split());
            for (int id = 0; id < 3; id++) {
                var loop = new ManualEventLoop(time);
                var controller = new QuorumController(
                        id,
                        TestImages.CLUSTER,
                        ControllerSettings.DEFAULTS,
                        group.member(id),
                        loop,
                        time,
                        random.split(),
                        ConfigValidator.acceptAll(),
                        TopicConfigDescriber.none(),
                        ControllerMetrics.NONE,
                        faults,
                        (listener, timeoutMs) -> CompletableFuture.completedFuture(gone.contains(listener.host())));
                group.member(id).start(controller);
                controllers.add(controller);
                loops.add(loop);
            }
        }

        /// One thing happens somewhere.
        void step() {
            if (random.nextInt(3) == 0) {
                group.step();
            } else {
                loops.get(random.nextInt(3)).step();
            }
        }

        void settle() {
            boolean busy = true;
            while (busy) {
                busy = group.step();
                for (ManualEventLoop loop : loops) {
                    busy |= loop.step();
                }
            }
        }

        ControllerContext context() {
            return new ControllerContext("User:test", "", (short) 7, time.nanoseconds() + TimeUnit.SECONDS.toNanos(30));
        }

        void electAndSettle(int id) {
            group.elect(id);
            settle();
        }

        void registerBroker(int controller, int broker) {
            var registered = controllers
                    .get(controller)
                    .registerBroker(context(), TestImages.registration(broker, new Uuid(9, broker)));
            settle();
            var heartbeat = controllers
                    .get(controller)
                    .brokerHeartbeat(
                            context(),
                            BrokerHeartbeatRequest.newBuilder()
                                    .setBrokerId(broker)
                                    .setBrokerEpoch(registered.join().getBrokerEpoch())
                                    .setCurrentMetadataIndex(group.committedIndex())
                                    .build());
            settle();
            assertThat(heartbeat.join().getIsFenced()).isFalse();
        }
    }

    private static CreateTopicsRequestData createTopic(String name) {
        return new CreateTopicsRequestData()
                .setTopics(List.of(
                        new CreatableTopic().setName(name).setNumPartitions(2).setReplicationFactor((short) 1)));
    }

    @Seeds(count = 60)
    void everyAnswerHoldsWhateverHappensToLeadership(long seed) {
        var cluster = new Cluster(seed);
        cluster.electAndSettle(cluster.random.nextInt(3));
        cluster.registerBroker(cluster.group.leader(), 1);

        Map<String, CompletableFuture<CreateTopicsResponseData>> asked = new HashMap<>();
        int names = 0;
        for (int i = 0; i < 600; i++) {
            int dice = cluster.random.nextInt(100);
            if (dice < 20) {
                String name = "topic-" + names++;
                QuorumController controller = cluster.controllers.get(cluster.random.nextInt(3));
                asked.put(name, controller.createTopics(cluster.context(), createTopic(name)));
            } else if (dice < 23) {
                cluster.group.elect(cluster.random.nextInt(3));
            } else if (dice < 25) {
                cluster.group.stepDown();
            } else if (dice < 28) {
                cluster.time.advanceMillis(cluster.random.nextInt(300));
            } else {
                cluster.step();
            }
        }
        cluster.settle();
        cluster.electAndSettle(cluster.random.nextInt(3));

        MetadataImage image = cluster.group.member(0).applied().image();
        for (SimulatedQuorum member : cluster.group.members()) {
            assertThat(member.applied().image()).isEqualTo(image);
        }
        asked.forEach((name, answer) -> {
            assertThat(answer).as(name).isDone();
            if (answer.isCompletedExceptionally()) {
                assertThat(failure(answer)).isEqualTo(Errors.NOT_CONTROLLER);
            } else {
                assertThat(answer.join().topics().getFirst().errorCode()).isEqualTo(Errors.NONE.code());
                assertThat(image.topics().topic(name)).as(name).isNotNull();
            }
        });
        // The cluster works again.
        var last = cluster.controllers.get(cluster.group.leader()).createTopics(cluster.context(), createTopic("last"));
        cluster.settle();
        assertThat(last.join().topics().getFirst().errorCode()).isZero();
        assertThat(cluster.faults.faults()).isEmpty();
    }

    private static Errors failure(CompletableFuture<?> future) {
        try {
            future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof ApiException api) {
                return api.error();
            }
            throw e;
        }
        return Errors.NONE;
    }

    @Test
    void aDeposedLeaderIsFencedAndSaysItIsNoController() {
        var cluster = new Cluster(1);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        // Controller 0 does not hear of it: only its append finds out.
        cluster.group.elect(1);
        var answer = cluster.controllers.get(0).createTopics(cluster.context(), createTopic("stale"));
        while (cluster.loops.get(0).step()) {
            continue;
        }
        assertThat(cluster.group.fenced()).isEqualTo(1);
        assertThat(answer).isNotDone();

        cluster.settle();

        assertThat(failure(answer)).isEqualTo(Errors.NOT_CONTROLLER);
        assertThat(cluster.controllers.get(0).isActive()).isFalse();
        assertThat(cluster.controllers.get(1).isActive()).isTrue();
        assertThat(cluster.group.member(2).applied().image().topics().topic("stale"))
                .isNull();
    }

    @Test
    void operationsThatQueueUpShareOneBatchAndSeeEachOther() {
        var cluster = new Cluster(2);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        long before = cluster.group.committedIndex();
        var answers = new ArrayList<CompletableFuture<CreateTopicsResponseData>>();
        for (int i = 0; i < 50; i++) {
            answers.add(cluster.controllers.get(0).createTopics(cluster.context(), createTopic("topic-" + i % 25)));
        }
        cluster.settle();

        long created = answers.stream()
                .filter(answer -> answer.join().topics().getFirst().errorCode() == 0)
                .count();
        long existed = answers.stream()
                .filter(answer -> answer.join().topics().getFirst().errorCode() == Errors.TOPIC_ALREADY_EXISTS.code())
                .count();
        assertThat(created).isEqualTo(25);
        assertThat(existed).isEqualTo(25);
        assertThat(cluster.group.committedIndex() - before).isEqualTo(2);
    }

    @Test
    void aBrokerThatFallsSilentIsFencedAndComesBackByAHeartbeat() {
        var cluster = new Cluster(3);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        var created = cluster.controllers.get(0).createTopics(cluster.context(), createTopic("t"));
        cluster.settle();
        assertThat(created.join().topics().getFirst().errorCode()).isZero();
        assertThat(TestImages.partition(image(cluster), "t", 0).leader()).isEqualTo(1);

        for (int i = 0; i < 20; i++) {
            cluster.time.advanceMillis(500);
            cluster.settle();
        }
        assertThat(image(cluster).cluster().isUnfenced(1)).isFalse();
        var partition = TestImages.partition(image(cluster), "t", 0);
        assertThat(partition.leader()).isEqualTo(-1);
        assertThat(partition.isr()).containsExactly(1);

        var broker = image(cluster).cluster().broker(1);
        assertThat(broker).isNotNull();
        var heartbeat = cluster.controllers
                .get(0)
                .brokerHeartbeat(
                        cluster.context(),
                        BrokerHeartbeatRequest.newBuilder()
                                .setBrokerId(1)
                                .setBrokerEpoch(broker.epoch())
                                .setCurrentMetadataIndex(cluster.group.committedIndex())
                                .build());
        cluster.settle();
        assertThat(heartbeat.join().getIsFenced()).isFalse();
        assertThat(TestImages.partition(image(cluster), "t", 0).leader()).isEqualTo(1);
    }

    @Test
    void aNewLeaderGivesEveryBrokerAFullSession() {
        var cluster = new Cluster(4);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        for (int i = 0; i < 16; i++) {
            cluster.time.advanceMillis(500);
            cluster.settle();
        }
        cluster.electAndSettle(2);
        for (int i = 0; i < 16; i++) {
            cluster.time.advanceMillis(500);
            cluster.settle();
        }
        assertThat(image(cluster).cluster().isUnfenced(1)).isTrue();
    }

    private static long epoch(Cluster cluster, int broker) {
        return Objects.requireNonNull(image(cluster).cluster().broker(broker)).epoch();
    }

    @Test
    void aCrashedBrokerIsFencedWhenItsConnectionEnds() {
        var cluster = new Cluster(7);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        cluster.registerBroker(0, 2);
        var created = cluster.controllers
                .get(0)
                .createTopics(
                        cluster.context(),
                        new CreateTopicsRequestData()
                                .setTopics(List.of(new CreatableTopic()
                                        .setName("t")
                                        .setNumPartitions(4)
                                        .setReplicationFactor((short) 2))));
        cluster.settle();
        assertThat(created.join().topics().getFirst().errorCode()).isZero();

        // Only the connection ended: the process is still there, and stays.
        cluster.controllers.get(0).brokerConnectionEnded(1, epoch(cluster, 1));
        cluster.settle();
        assertThat(image(cluster).cluster().isUnfenced(1)).isTrue();

        // Its sockets close a moment after its connection did.
        cluster.gone.add("host1");
        cluster.time.advanceMillis(60);
        cluster.settle();
        assertThat(image(cluster).cluster().isUnfenced(1)).isFalse();
        for (int partition = 0; partition < 4; partition++) {
            assertThat(TestImages.partition(image(cluster), "t", partition).leader())
                    .isEqualTo(2);
        }
    }

    @Test
    void theEndOfAnOldProcessesConnectionDoesNotFenceItsSuccessor() {
        var cluster = new Cluster(8);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        long old = epoch(cluster, 1);
        cluster.gone.add("host1");
        var again = cluster.controllers
                .get(0)
                .registerBroker(cluster.context(), TestImages.registration(1, new Uuid(9, 99)));
        cluster.settle();
        var heartbeat = cluster.controllers
                .get(0)
                .brokerHeartbeat(
                        cluster.context(),
                        BrokerHeartbeatRequest.newBuilder()
                                .setBrokerId(1)
                                .setBrokerEpoch(again.join().getBrokerEpoch())
                                .setCurrentMetadataIndex(cluster.group.committedIndex())
                                .build());
        cluster.settle();
        assertThat(heartbeat.join().getIsFenced()).isFalse();
        cluster.controllers.get(0).brokerConnectionEnded(1, old);
        cluster.settle();
        assertThat(image(cluster).cluster().isUnfenced(1)).isTrue();
    }

    @Test
    void aNewControllerFencesBrokersThatWentDownWithTheLastOne() {
        var cluster = new Cluster(9);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        cluster.registerBroker(0, 2);
        cluster.gone.add("host1");
        cluster.electAndSettle(2);
        // Broker 2 has the id of the active controller: the same process.
        cluster.gone.add("host2");
        cluster.time.advanceMillis(600);
        cluster.settle();
        assertThat(image(cluster).cluster().isUnfenced(1)).isFalse();
        assertThat(image(cluster).cluster().isUnfenced(2)).isTrue();
    }

    @Test
    void aBrokerTheNewControllerHasHeardOfIsNotProbedAnyMore() {
        var cluster = new Cluster(10);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        cluster.electAndSettle(2);
        var heartbeat = cluster.controllers
                .get(2)
                .brokerHeartbeat(
                        cluster.context(),
                        BrokerHeartbeatRequest.newBuilder()
                                .setBrokerId(1)
                                .setBrokerEpoch(epoch(cluster, 1))
                                .setCurrentMetadataIndex(cluster.group.committedIndex())
                                .build());
        cluster.settle();
        assertThat(heartbeat.join().getIsFenced()).isFalse();
        cluster.gone.add("host1");
        for (int i = 0; i < 8; i++) {
            cluster.time.advanceMillis(1000);
            cluster.settle();
        }
        assertThat(image(cluster).cluster().isUnfenced(1)).isTrue();
    }

    @Test
    void leadershipsGoBackToPreferredReplicasFromTimeToTime() {
        var cluster = new Cluster(11);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        cluster.registerBroker(0, 2);
        var created = cluster.controllers
                .get(0)
                .createTopics(
                        cluster.context(),
                        new CreateTopicsRequestData()
                                .setTopics(List.of(new CreatableTopic()
                                        .setName("t")
                                        .setNumPartitions(-1)
                                        .setReplicationFactor((short) -1)
                                        .setAssignments(List.of(
                                                new CreatableReplicaAssignment().setBrokerIds(List.of(1, 2)))))));
        cluster.settle();
        assertThat(created.join().topics().getFirst().errorCode()).isZero();
        cluster.gone.add("host1");
        cluster.controllers.get(0).brokerConnectionEnded(1, epoch(cluster, 1));
        cluster.settle();
        assertThat(TestImages.partition(image(cluster), "t", 0).leader()).isEqualTo(2);

        // It is back, but not in sync: however much time passes, it does not lead.
        cluster.gone.clear();
        beat(cluster, 1);
        passMinutes(cluster, 6);
        assertThat(TestImages.partition(image(cluster), "t", 0).leader()).isEqualTo(2);

        var proposal = AlterPartitionRequest.PartitionIsr.newBuilder()
                .setLeaderEpoch(TestImages.partition(image(cluster), "t", 0).leaderEpoch())
                .setPartitionEpoch(TestImages.partition(image(cluster), "t", 0).partitionEpoch());
        for (int id = 1; id <= 2; id++) {
            proposal.addNewIsr(
                    AlterPartitionRequest.IsrMember.newBuilder().setBrokerId(id).setBrokerEpoch(epoch(cluster, id)));
        }
        var altered = cluster.controllers
                .get(0)
                .alterPartition(
                        cluster.context(),
                        AlterPartitionRequest.newBuilder()
                                .setBrokerId(2)
                                .setBrokerEpoch(epoch(cluster, 2))
                                .addTopics(AlterPartitionRequest.TopicIsr.newBuilder()
                                        .setTopicId(MetadataRecords.id(created.join()
                                                .topics()
                                                .getFirst()
                                                .topicId()))
                                        .addPartitions(proposal))
                                .build());
        cluster.settle();
        assertThat(altered.join().getTopics(0).getPartitions(0).getErrorCode()).isZero();
        assertThat(TestImages.partition(image(cluster), "t", 0).leader()).isEqualTo(2);
        passMinutes(cluster, 6);
        assertThat(TestImages.partition(image(cluster), "t", 0).leader()).isEqualTo(1);
    }

    private static void passMinutes(Cluster cluster, int minutes) {
        for (int i = 0; i < minutes * 15; i++) {
            cluster.time.advanceMillis(4000);
            beat(cluster, 1);
            beat(cluster, 2);
        }
    }

    private static void beat(Cluster cluster, int broker) {
        var heartbeat = cluster.controllers
                .get(0)
                .brokerHeartbeat(
                        cluster.context(),
                        BrokerHeartbeatRequest.newBuilder()
                                .setBrokerId(broker)
                                .setBrokerEpoch(epoch(cluster, broker))
                                .setCurrentMetadataIndex(cluster.group.committedIndex())
                                .build());
        cluster.settle();
        assertThat(heartbeat.join().getIsFenced()).isFalse();
    }

    @Test
    void whatWaitsTooLongFailsWithATimeOut() {
        var cluster = new Cluster(5);
        cluster.electAndSettle(0);
        cluster.registerBroker(0, 1);
        // The first is in flight and hangs; the second waits behind it.
        cluster.controllers.get(0).createTopics(cluster.context(), createTopic("a"));
        cluster.loops.get(0).runAll();
        var second = cluster.controllers.get(0).createTopics(cluster.context(), createTopic("b"));
        cluster.loops.get(0).runAll();
        cluster.time.advanceMillis(31_000);
        cluster.loops.get(0).runAll();
        assertThat(failure(second)).isEqualTo(Errors.REQUEST_TIMED_OUT);
    }

    @Test
    void anIdleControllerWritesNoOps() {
        var cluster = new Cluster(6);
        cluster.electAndSettle(0);
        long before = cluster.group.committedIndex();
        for (int i = 0; i < 4; i++) {
            cluster.time.advanceMillis(600);
            cluster.settle();
        }
        assertThat(cluster.group.committedIndex()).isGreaterThanOrEqualTo(before + 3);
    }

    private static MetadataImage image(Cluster cluster) {
        return cluster.group.member(0).applied().image();
    }
}
