package io.moldau.broker.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.peer.NodeApi;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.HashedWheelTimer;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.message.FetchMetadataRequest;
import io.moldau.metadata.quorum.QuorumState;
import io.moldau.testing.MockTime;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsResponseData;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Finding the active controller, metadata and the cluster's id, over a network of plain calls and simulated time.
class ControllersTest {

    private static final BrokerHeartbeatRequest HEARTBEAT =
            BrokerHeartbeatRequest.newBuilder().setBrokerId(9).setBrokerEpoch(4).build();

    private final MockTime time = new MockTime();
    private final HashedWheelTimer timer = new HashedWheelTimer(time.nanoseconds(), () -> {});
    private final FakeNetwork network = new FakeNetwork();
    private final Map<Integer, FakeQuorumMember> members = new HashMap<>();
    private final List<String> lost = new ArrayList<>();

    private FakeQuorumMember member(int id) {
        return members.computeIfAbsent(id, key -> new FakeQuorumMember());
    }

    private void listen(int id, @Nullable Uuid clusterId) {
        network.listen(
                id,
                new ControllerRequests(
                        id,
                        member(id),
                        (kind, request) -> CompletableFuture.completedFuture(request),
                        () -> clusterId,
                        (broker, epoch) -> lost.add(broker + ":" + epoch),
                        time));
    }

    private static ControllerAddress address(int id) {
        return new ControllerAddress(id, "controller-" + id, id);
    }

    /// Of three voters that listen.
    private Controllers three() {
        List<ControllerAddress> voters = List.of(address(1), address(2), address(3));
        voters.forEach(voter -> listen(voter.id(), null));
        return new Controllers(null, voters, List.of(), network, time, timer, new Random(3));
    }

    private void pass(long millis) {
        for (long i = 0; i < millis; i++) {
            time.advanceMillis(1);
            timer.advanceTo(time.nanoseconds());
        }
    }

    @Test
    void theActiveOneIsFoundWithoutAHint() {
        Controllers controllers = three();
        member(3).active = true;
        CompletableFuture<BrokerHeartbeatResponse> answer = controllers.active().heartbeat(HEARTBEAT);
        pass(100);
        assertThat(answer).isCompletedWithValueMatching(BrokerHeartbeatResponse::getIsCaughtUp);
        assertThat(member(1).asked).isEqualTo(1);
        assertThat(member(2).asked).isEqualTo(1);
    }

    @Test
    void metadataTellsWhoIsActive() {
        Controllers controllers = three();
        member(1).leaderId = 2;
        member(2).active = true;
        controllers.metadata().current().fetchMetadata(FetchMetadataRequest.getDefaultInstance());
        assertThat(controllers.leaderId()).isEqualTo(2);
        assertThat(controllers.active().heartbeat(HEARTBEAT)).isCompleted();
        assertThat(member(1).asked + member(3).asked).isZero();
        // Older news change nothing, and one that lost its leader knows nothing newer.
        member(1).leaderId = 3;
        member(1).epoch = 0;
        controllers.metadata().current().fetchMetadata(FetchMetadataRequest.getDefaultInstance());
        assertThat(controllers.leaderId()).isEqualTo(2);
    }

    @Test
    void aRequestGoesToTheNextActiveControllerWhenOneDies() {
        Controllers controllers = three();
        member(1).active = true;
        assertThat(controllers.active().heartbeat(HEARTBEAT)).isCompleted();
        network.kill(1);
        CompletableFuture<BrokerHeartbeatResponse> answer = controllers.active().heartbeat(HEARTBEAT);
        pass(700);
        assertThat(answer).isNotDone();
        member(3).active = true;
        pass(250);
        assertThat(answer).isCompleted();
    }

    @Test
    void withoutAnActiveControllerARequestFailsInTime() {
        Controllers controllers = three();
        CompletableFuture<BrokerHeartbeatResponse> answer = controllers.active().heartbeat(HEARTBEAT);
        pass(4_900);
        assertThat(answer).isNotDone();
        pass(200);
        assertThatThrownBy(answer::join)
                .hasCauseInstanceOf(ApiException.class)
                .hasRootCauseMessage(
                        "No active controller answered in time; the last one asked said NOT_CONTROLLER: ask another");
        assertThat(((ApiException) answer.exceptionNow()).error()).isEqualTo(Errors.REQUEST_TIMED_OUT);
        // Pauses grow to 50 ms and no further.
        assertThat(member(1).asked + member(2).asked + member(3).asked).isBetween(60, 250);
    }

    @Test
    void aDeposedControllerThatHangsIsLeftAsSoonAsMetadataNamesAnother() {
        Controllers controllers = three();
        member(1).leaderId = 1;
        member(1).active = true;
        controllers.metadata().current().fetchMetadata(FetchMetadataRequest.getDefaultInstance());
        network.hang(1);
        CompletableFuture<BrokerHeartbeatResponse> answer = controllers.active().heartbeat(HEARTBEAT);
        pass(50);
        assertThat(answer).isNotDone();
        member(2).active = true;
        member(2).leaderId = 2;
        member(2).epoch = 2;
        NodeToController hung = controllers.metadata().current();
        controllers.metadata().failed(hung);
        controllers.metadata().current().fetchMetadata(FetchMetadataRequest.getDefaultInstance());
        pass(100);
        assertThat(answer).isCompleted();
    }

    @Test
    void metadataComesFromThisProcessWhileItKnowsALeader() {
        FakeQuorumMember own = member(1);
        own.leaderId = 2;
        member(2).leaderId = 2;
        listen(2, null);
        List<QuorumState> state = new ArrayList<>(List.of(new QuorumState(2, 1, false, List.of())));
        Controllers controllers = new Controllers(
                new Controllers.Local(1, own, state::getFirst),
                List.of(address(2)),
                List.of(),
                network,
                time,
                timer,
                new Random(3));
        assertThat(controllers.chooseForMetadata().channel()).isSameAs(own);
        // Cut off from the majority.
        own.leaderId = -1;
        state.set(0, new QuorumState(-1, 2, false, List.of()));
        controllers.metadata().current().fetchMetadata(FetchMetadataRequest.getDefaultInstance());
        assertThat(controllers.chooseForMetadata().address()).isEqualTo(address(2));
        pass(2_000);
        assertThat(controllers.chooseForMetadata().channel()).isSameAs(own);
    }

    @Test
    void aForwardedRequestKeepsItsClientAndItsVersion() throws Exception {
        Controllers controllers = three();
        member(2).active = true;
        CreateTopicsRequestData request =
                new CreateTopicsRequestData().setTimeoutMs(77).setValidateOnly(true);
        CompletableFuture<?> answer = controllers
                .active()
                .forward(
                        new ControllerContext(
                                "User:alice", "10.1.2.3", (short) 6, time.nanoseconds() + TimeUnit.SECONDS.toNanos(30)),
                        request);
        pass(100);
        assertThat(answer.get())
                .isInstanceOfSatisfying(
                        CreateTopicsResponseData.class,
                        response -> assertThat(response.throttleTimeMs()).isEqualTo(7));
        ControllerContext context = member(2).forwarded.getFirst();
        assertThat(context.principal()).isEqualTo("User:alice");
        assertThat(context.clientAddress()).isEqualTo("10.1.2.3");
        assertThat(context.apiVersion()).isEqualTo((short) 6);
        assertThat(context.deadlineNanos() - time.nanoseconds())
                .isBetween(TimeUnit.MILLISECONDS.toNanos(29_800), TimeUnit.SECONDS.toNanos(30));
        assertThat(member(2).requests.getFirst()).isEqualTo(request);
    }

    @Test
    void theEndOfAHeartbeatsConnectionIsReported() {
        Controllers controllers = three();
        member(1).active = true;
        assertThat(controllers.active().heartbeat(HEARTBEAT)).isCompleted();
        assertThat(lost).isEmpty();
        Objects.requireNonNull(network.endings.get(1)).run();
        assertThat(lost).containsExactly("9:4");
    }

    @Test
    void whatCannotBeReadIsRefused() {
        three();
        for (NodeApi api : List.of(NodeApi.REGISTER_BROKER, NodeApi.FORWARD, NodeApi.RAFT)) {
            ByteBuffer nonsense = ByteBuffer.wrap(new byte[] {(byte) 0xff, (byte) 0xff, 1});
            CompletableFuture<ByteBuffer> answer =
                    network.connect("", 1, "test").call(api.key(), nonsense, 1000);
            assertThat(answer).isCompletedExceptionally();
            assertThat(((ApiException) answer.exceptionNow()).error())
                    .as("%s", api)
                    .isEqualTo(Errors.INVALID_REQUEST);
        }
    }

    private CompletableFuture<Optional<Uuid>> find(int enough) {
        return new ClusterFinder(9, List.of(address(1), address(2)), enough, network, time, timer).find();
    }

    @Test
    void theClusterIsWhatAControllerSays() {
        Uuid id = new Uuid(5, 6);
        CompletableFuture<Optional<Uuid>> found = find(1);
        pass(300);
        assertThat(found).isNotDone();
        listen(2, id);
        pass(150);
        assertThat(found).isCompletedWithValue(Optional.of(id));
    }

    @Test
    void enoughControllersWithoutAPastAreANewCluster() {
        listen(1, null);
        assertThat(find(2)).isNotDone();
        assertThat(find(1)).isCompletedWithValue(Optional.empty());
        List<ControllerAddress> voters = List.of(address(1), address(2), address(3));
        assertThat(ClusterFinder.idOf(voters)).isEqualTo(ClusterFinder.idOf(voters.reversed()));
        assertThat(ClusterFinder.idOf(voters)).isNotEqualTo(ClusterFinder.idOf(voters.subList(0, 2)));
    }

    @Test
    void controllersOfTwoClustersAreRefused() {
        listen(1, new Uuid(1, 1));
        listen(2, new Uuid(2, 2));
        assertThatThrownBy(find(1)::join)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("controller-1:1")
                .hasMessageContaining("controller-2:2");
    }
}
