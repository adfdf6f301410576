package io.moldau.broker.coordinator.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.api.TestMetadata;
import io.moldau.broker.peer.BrokerRequests;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.HashedWheelTimer;
import io.moldau.testing.MockTime;
import io.moldau.wire.message.WriteTxnMarkersRequestData;
import io.moldau.wire.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import io.moldau.wire.message.WriteTxnMarkersResponseData;
import io.moldau.wire.message.WriteTxnMarkersResponseData.WritableTxnMarkerPartitionResult;
import io.moldau.wire.message.WriteTxnMarkersResponseData.WritableTxnMarkerResult;
import io.moldau.wire.message.WriteTxnMarkersResponseData.WritableTxnMarkerTopicResult;
import io.moldau.wire.protocol.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Where markers go, when they go again, and when there is an end of it.
class MarkerSenderTest {

    private static final TopicPartition A0 = new TopicPartition("a", 0);
    private static final TopicPartition A1 = new TopicPartition("a", 1);
    private static final TopicPartition B0 = new TopicPartition("b", 0);

    private final TestMetadata metadata = new TestMetadata()
            .broker(1, false, "PLAINTEXT")
            .broker(2, false, "PLAINTEXT")
            .topic("a")
            .partition("a", 0, 1, List.of(1, 2), List.of(1, 2))
            .partition("a", 1, 2, List.of(1, 2), List.of(1, 2))
            .topic("b")
            .partition("b", 0, 2, List.of(1, 2), List.of(1, 2))
            .publish();
    private final MockTime time = new MockTime();
    private final HashedWheelTimer timer = new HashedWheelTimer(time.nanoseconds(), () -> {});
    private final Brokers brokers = new Brokers();
    private int tasks;
    private final List<EndMarkers> written = new ArrayList<>();
    private final MarkerSender sender = new MarkerSender(
            brokers,
            metadata.cache()::image,
            time,
            timer,
            task -> {
                tasks++;
                task.run();
            },
            TransactionMetrics.NONE,
            30_000,
            written::add);

    @Test
    void eachLeaderGetsThoseOfItsPartitions() {
        var end = end("x", 7, A0, A1, B0);
        sender.send(end);
        assertThat(brokers.sent()).containsExactlyInAnyOrder("1: 7/3 commit 9 v2 a[0]", "2: 7/3 commit 9 v2 a[1] b[0]");
        brokers.answer(1, Errors.NONE);
        assertThat(written).isEmpty();
        brokers.answer(2, Errors.NONE);
        assertThat(written).containsExactly(end);
        assertThat(sender.pending()).isZero();
    }

    @Test
    void whatComesMeanwhileGoesInTheNextRequest() {
        sender.send(end("x", 7, A0));
        sender.send(end("y", 8, A0));
        sender.send(end("z", 9, A0));
        assertThat(brokers.open).hasSize(1);
        brokers.answer(1, Errors.NONE);
        assertThat(brokers.open).hasSize(1);
        assertThat(brokers.open.getFirst().request.markers()).hasSize(2);
        brokers.answer(1, Errors.NONE);
        assertThat(written).hasSize(3);
    }

    @Test
    void aTransactionWithoutPartitionsIsCompleteAtOnce() {
        sender.send(end("x", 7));
        assertThat(written).hasSize(1);
        assertThat(brokers.open).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {
                "NOT_LEADER_OR_FOLLOWER",
                "UNKNOWN_TOPIC_OR_PARTITION",
                "NOT_ENOUGH_REPLICAS",
                "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
                "REQUEST_TIMED_OUT",
                "KAFKA_STORAGE_ERROR",
                "COORDINATOR_LOAD_IN_PROGRESS",
                "UNKNOWN_SERVER_ERROR"
            })
    void aMarkerThatWasNotWrittenGoesAgainToWhoeverLeadsThen(Errors error) {
        sender.send(end("x", 7, A0));
        brokers.answer(1, error);
        assertThat(brokers.open).isEmpty();
        metadata.partition("a", 0, 2, List.of(1, 2), List.of(1, 2)).publish();
        pass(1_000);
        assertThat(brokers.sent()).containsExactly("2: 7/3 commit 9 v2 a[0]");
        brokers.answer(2, Errors.NONE);
        assertThat(written).hasSize(1);
    }

    @Test
    void aBrokerThatDoesNotAnswerIsAskedAgainLessAndLessOften() {
        sender.send(end("x", 7, A0));
        int asked = 0;
        for (int ms = 0; ms < 10_000; ms += 10) {
            if (!brokers.open.isEmpty()) {
                asked++;
                brokers.fail(1);
            }
            pass(10);
        }
        assertThat(asked).isBetween(12, 18);
        assertThat(sender.pending()).isEqualTo(1);
    }

    @Test
    void partitionsWithoutLeaderWaitForOneAndThoseThatAreGoneForNothing() {
        metadata.partition("a", 0, -1, List.of(1, 2), List.of(1, 2)).publish();
        sender.send(end("x", 7, A0, B0));
        brokers.answer(2, Errors.NONE);
        pass(5_000);
        assertThat(brokers.open).isEmpty();
        assertThat(written).isEmpty();
        metadata.removeTopic("a").publish();
        pass(2_000);
        assertThat(written).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {"TRANSACTION_COORDINATOR_FENCED", "INVALID_PRODUCER_EPOCH"})
    void aLaterCoordinatorHasTheLastWord(Errors error) {
        sender.send(end("x", 7, A0, B0));
        brokers.answer(1, error);
        brokers.answer(2, Errors.NONE);
        pass(10_000);
        assertThat(brokers.open).isEmpty();
        assertThat(written).isEmpty();
        assertThat(sender.pending()).isZero();
    }

    @Test
    void aShardThatIsElsewhereTakesItsMarkersAlong() {
        sender.send(end("x", 7, A0));
        brokers.fail(1);
        sender.forget(new TransactionShard.Term(4, 9));
        assertThat(sender.pending()).as("another shard").isEqualTo(1);
        sender.forget(new TransactionShard.Term(3, 8));
        assertThat(sender.pending()).as("an earlier term").isEqualTo(1);
        sender.forget(new TransactionShard.Term(3, 9));
        assertThat(sender.pending()).isZero();
        pass(10_000);
        assertThat(brokers.open).isEmpty();
    }

    @Test
    void answersOfBeforeAreNotTakenForThoseOfNow() {
        sender.send(end("x", 7, A0));
        sender.send(end("x", 7, A0, A1));
        brokers.answer(1, Errors.NONE);
        assertThat(written).isEmpty();
        brokers.answer(2, Errors.NONE);
        assertThat(written).isEmpty();
        brokers.answer(1, Errors.NONE);
        assertThat(written).hasSize(1);
    }

    @Test
    void aShardThatHasBeenTakenOverHasNoSay() {
        sender.send(end("x", 7, A0));
        sender.send(new EndMarkers(3, 8, "x", 7, (short) 3, true, (short) 2, Set.of(A0, A1)));
        brokers.answer(1, Errors.NONE);
        assertThat(written).extracting(EndMarkers::coordinatorEpoch).containsExactly(9);
    }

    @Test
    void afterTheEndNothingIsSent() {
        sender.send(end("y", 8, A0));
        brokers.fail(1);
        sender.close();
        sender.send(end("x", 7, A0));
        pass(10_000);
        assertThat(brokers.open).isEmpty();
        assertThat(tasks).as("threads that are gone are not asked").isZero();
        assertThat(sender.pending()).isZero();
    }

    private void pass(long ms) {
        for (long i = 0; i < ms; i += 10) {
            time.advanceMillis(10);
            timer.advanceTo(time.nanoseconds());
        }
    }

    private static EndMarkers end(String id, long producerId, TopicPartition... partitions) {
        return new EndMarkers(3, 9, id, producerId, (short) 3, true, (short) 2, Set.of(partitions));
    }

    private static final class Brokers implements BrokerRequests {

        private record Open(
                int broker,
                WriteTxnMarkersRequestData request,
                CompletableFuture<WriteTxnMarkersResponseData> answer) {}

        private final List<Open> open = new ArrayList<>();

        @Override
        @SuppressWarnings("unchecked") // markers are all that is sent
        public <R extends Message> CompletableFuture<R> send(
                int brokerId, short apiVersion, Message request, Class<R> response, long timeoutMs) {
            assertThat(apiVersion).isEqualTo((short) 2);
            var answer = new CompletableFuture<WriteTxnMarkersResponseData>();
            open.add(new Open(brokerId, (WriteTxnMarkersRequestData) request, answer));
            return (CompletableFuture<R>) answer;
        }

        List<String> sent() {
            return open.stream()
                    .map(it -> it.broker + ": " + text(it.request.markers().getFirst()))
                    .toList();
        }

        private static String text(WritableTxnMarker marker) {
            var text = new StringBuilder(marker.producerId() + "/" + marker.producerEpoch() + " "
                    + (marker.transactionResult() ? "commit" : "abort") + " " + marker.coordinatorEpoch() + " v"
                    + marker.transactionVersion());
            marker.topics()
                    .forEach(topic -> text.append(" ").append(topic.name()).append(topic.partitionIndexes()));
            return text.toString();
        }

        private Open take(int broker) {
            var first =
                    open.stream().filter(it -> it.broker == broker).findFirst().orElseThrow();
            open.remove(first);
            return first;
        }

        void fail(int broker) {
            take(broker).answer.completeExceptionally(new ApiException(Errors.NETWORK_EXCEPTION));
        }

        void answer(int broker, Errors error) {
            var asked = take(broker);
            var response = new WriteTxnMarkersResponseData();
            for (var marker : asked.request.markers()) {
                var result = new WritableTxnMarkerResult().setProducerId(marker.producerId());
                for (var topic : marker.topics()) {
                    var ofTopic = new WritableTxnMarkerTopicResult().setName(topic.name());
                    topic.partitionIndexes()
                            .forEach(index -> ofTopic.partitions()
                                    .add(new WritableTxnMarkerPartitionResult()
                                            .setPartitionIndex(index)
                                            .setErrorCode(error.code())));
                    result.topics().add(ofTopic);
                }
                response.markers().add(result);
            }
            asked.answer.complete(response);
        }
    }
}
