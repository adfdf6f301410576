package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.FaultHandler;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.common.time.HashedWheelTimer;
import io.moldau.log.LogConfig;
import io.moldau.log.LogMetrics;
import io.moldau.log.dir.LogDirs;
import io.moldau.log.dir.LogDirsConfig;
import io.moldau.log.storage.SimulatedStorage;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionRequest.IsrMember;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.AlterPartitionResponse.PartitionState;
import io.moldau.metadata.message.AlterPartitionResponse.TopicState;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.testing.MockTime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What becomes of a proposed ISR, by the controller's answer.
class AlterPartitionSenderTest {

    private static final Uuid TOPIC = new Uuid(4, 4);
    private static final TopicSettings SETTINGS = new TopicSettings(LogConfig.DEFAULTS, 1);

    private record Asked(AlterPartitionRequest request, CompletableFuture<AlterPartitionResponse> answer) {}

    private final MockTime time = new MockTime();
    private final FaultHandler.Recording faults = new FaultHandler.Recording();
    private final HashedWheelTimer timer = new HashedWheelTimer(time.nanoseconds(), () -> {});
    private final List<Asked> asked = new ArrayList<>();
    private LogDirs logs;
    private PartitionRegistry partitions;

    @BeforeEach
    void start() throws IOException {
        var random = new Random(1);
        logs = LogDirs.open(
                List.of(Path.of("/data")),
                new SimulatedStorage(time, random),
                time,
                LogDirsConfig.defaults(random),
                LogMetrics.NONE);
        var controller = (NodeToController) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {NodeToController.class}, (proxy, method, arguments) -> {
                    var it = new Asked((AlterPartitionRequest) arguments[0], new CompletableFuture<>());
                    asked.add(it);
                    return it.answer();
                });
        var sender = new AlterPartitionSender(1, () -> 77L, controller, time, timer, Runnable::run, faults);
        partitions = new PartitionRegistry(
                1,
                logs,
                () -> MetadataImage.EMPTY,
                time,
                new TailCache(new HeapMemory(), 1 << 20, 1 << 16),
                faults,
                new Replication(sender, Runnable::run, 1_000_000L, (broker, epoch) -> true));
    }

    @AfterEach
    void stop() {
        partitions.close();
        logs.abandon();
        assertThat(faults.faults()).isEmpty();
    }

    private static PartitionRegistration registration(List<Integer> isr, int partitionEpoch) {
        List<Integer> replicas = List.of(1, 2, 3);
        return new PartitionRegistration(
                replicas,
                replicas.stream().map(it -> Uuid.ZERO).toList(),
                isr,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                1,
                LeaderRecoveryState.RECOVERED,
                5,
                partitionEpoch);
    }

    private LeaderState lead(int partition) {
        var id = new TopicIdPartition(TOPIC, new TopicPartition("t", partition));
        partitions.becomeLeader(id, registration(List.of(1), 3), SETTINGS);
        return Objects.requireNonNull(partition(partition).leaderState());
    }

    private Partition partition(int number) {
        return partitions.online(new TopicPartition("t", number));
    }

    private void fetch(int partition, int follower) {
        partition(partition)
                .readAsFollower(new Partition.FollowerFetch(follower, 100 + follower, 0, 0, 5, -1), 1000, true);
    }

    private void answer(int request, Errors error, int partition, List<Integer> isr, int partitionEpoch) {
        asked.get(request)
                .answer()
                .complete(AlterPartitionResponse.newBuilder()
                        .addTopics(TopicState.newBuilder()
                                .setTopicId(MetadataRecords.id(TOPIC))
                                .addPartitions(PartitionState.newBuilder()
                                        .setPartitionId(partition)
                                        .setErrorCode(error.code())
                                        .setLeader(1)
                                        .setLeaderEpoch(5)
                                        .addAllIsr(isr)
                                        .setPartitionEpoch(partitionEpoch)))
                        .build());
    }

    private void pass(long millis) {
        time.advanceMillis(millis);
        timer.advanceTo(time.nanoseconds());
    }

    @Test
    void theProposalNamesVersionsAndProcesses() {
        lead(0);
        fetch(0, 2);
        var topic = asked.getFirst().request().getTopics(0);
        assertThat(asked.getFirst().request().getBrokerEpoch()).isEqualTo(77);
        assertThat(topic.getPartitions(0).getLeaderEpoch()).isEqualTo(5);
        assertThat(topic.getPartitions(0).getPartitionEpoch()).isEqualTo(3);
        assertThat(topic.getPartitions(0).getNewIsrList())
                .extracting(IsrMember::getBrokerId, IsrMember::getBrokerEpoch)
                .containsExactly(tuple(1, 77L), tuple(2, 102L));
    }

    @Test
    void whatTheControllerTookIsTheIsr() {
        LeaderState state = lead(0);
        fetch(0, 2);
        assertThat(state.isr()).containsExactly(1);
        assertThat(state.maximalIsr()).containsExactly(1, 2);
        answer(0, Errors.NONE, 0, List.of(1, 2), 4);
        assertThat(state.isr()).containsExactly(1, 2);
        assertThat(state.partitionEpoch()).isEqualTo(4);
        assertThat(state.hasProposal()).isFalse();
    }

    @Test
    void aRefusedProposalIsWithdrawnSinceAnEarlierTryOfItMayComeLate() {
        LeaderState state = lead(0);
        fetch(0, 2);
        answer(0, Errors.INELIGIBLE_REPLICA, 0, List.of(), 0);
        assertThat(asked).hasSize(2);
        var withdrawal = asked.get(1).request().getTopics(0).getPartitions(0);
        assertThat(withdrawal.getNewIsrList())
                .extracting(IsrMember::getBrokerId)
                .containsExactly(1);
        assertThat(withdrawal.getPartitionEpoch()).isEqualTo(3);
        assertThat(state.maximalIsr()).as("it may have been taken").containsExactly(1, 2);
        answer(1, Errors.NONE, 0, List.of(1), 4);
        assertThat(state.maximalIsr()).containsExactly(1);
        assertThat(asked).as("nothing new is known").hasSize(2);
        fetch(0, 2);
        assertThat(asked).as("asked again at the next fetch").hasSize(3);
        assertThat(asked.get(2).request().getTopics(0).getPartitions(0).getPartitionEpoch())
                .isEqualTo(4);
    }

    @Test
    void anIneligibleMemberCountsNoLongerWhenNotEvenTheCommittedIsrIsTaken() {
        LeaderState state = lead(0);
        fetch(0, 2);
        answer(0, Errors.INELIGIBLE_REPLICA, 0, List.of(), 0);
        answer(1, Errors.INELIGIBLE_REPLICA, 0, List.of(), 0);
        assertThat(state.maximalIsr()).containsExactly(1);
        assertThat(asked).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {
                "FENCED_LEADER_EPOCH",
                "INVALID_UPDATE_VERSION",
                "NEW_LEADER_ELECTED",
                "UNKNOWN_TOPIC_ID",
                "INVALID_REQUEST"
            })
    void anAnswerThatProvesNothingLeavesTheMemberCountingUntilMetadataComes(Errors error) {
        LeaderState state = lead(0);
        fetch(0, 2);
        answer(0, error, 0, List.of(), 0);
        assertThat(state.maximalIsr()).containsExactly(1, 2);
        pass(1000);
        assertThat(asked).hasSize(1);
        var id = new TopicIdPartition(TOPIC, new TopicPartition("t", 0));
        partitions.becomeLeader(id, registration(List.of(1, 3), 4), SETTINGS);
        assertThat(state.isr()).containsExactly(1, 3);
        assertThat(state.maximalIsr()).as("proposed anew on the new version").containsExactly(1, 2, 3);
        assertThat(asked).hasSize(2);
        assertThat(asked.getLast().request().getTopics(0).getPartitions(0).getPartitionEpoch())
                .isEqualTo(4);
    }

    @Test
    void withoutAnAnswerTheSameIsAskedAgain() {
        lead(0);
        fetch(0, 2);
        asked.getFirst().answer().completeExceptionally(new ApiException(Errors.NOT_CONTROLLER));
        assertThat(asked).hasSize(1);
        pass(50);
        assertThat(asked).hasSize(2);
        assertThat(asked.get(1).request()).isEqualTo(asked.get(0).request());
        // The controller knows less than we do: it has to catch up.
        answer(1, Errors.NOT_CONTROLLER, 0, List.of(), 0);
        pass(50);
        assertThat(asked).hasSize(3);
    }

    @Test
    void oneRequestAtATimeTakesWhatHasCollected() {
        lead(0);
        lead(1);
        lead(2);
        fetch(0, 2);
        fetch(1, 2);
        fetch(2, 2);
        assertThat(asked).hasSize(1);
        answer(0, Errors.NONE, 0, List.of(1, 2), 4);
        assertThat(asked).hasSize(2);
        assertThat(asked.get(1).request().getTopics(0).getPartitionsList())
                .extracting(AlterPartitionRequest.PartitionIsr::getPartitionId)
                .containsExactly(1, 2);
    }

    @Test
    void aProcessThatWasReplacedIsNotBelieved() {
        LeaderState state = lead(0);
        fetch(0, 2);
        assertThat(partition(0).readAsFollower(new Partition.FollowerFetch(2, 101, 0, 0, 5, -1), 1000, true))
                .isInstanceOfSatisfying(
                        PartitionRead.Failed.class,
                        it -> assertThat(it.error()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER));
        assertThat(Objects.requireNonNull(state.follower(2)).brokerEpoch()).isEqualTo(102);
    }
}
