package io.moldau.broker.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.replica.AppendTerms;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.log.AppendOutcome;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.wire.message.AddPartitionsToTxnRequestData;
import io.moldau.wire.message.AddPartitionsToTxnResponseData;
import io.moldau.wire.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnPartitionResult;
import io.moldau.wire.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnResult;
import io.moldau.wire.message.AddPartitionsToTxnResponseData.AddPartitionsToTxnTopicResult;
import io.moldau.wire.netty.ByteBufRecords;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.record.ControlRecord;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What waits for a transaction coordinator, in which order it goes on, and what producers are told.
class TransactionVerificationTest {

    private static final short OLD = 11;
    private static final short NEW = 12;

    @TempDir
    private Path data;

    private LedPartitions node;
    private TransactionVerification verification;
    private int coordinator = 2;
    private boolean enabled = true;
    private final List<String> outcomes = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        node = new LedPartitions(data);
        node.metadata.topic("t", 3).publish();
        verification = new TransactionVerification(
                new CoordinatorQuestions(
                        node,
                        transactionalId -> coordinator,
                        node.time,
                        node.timer,
                        node.background::add,
                        new CoordinatorQuestions.Patience(20, 100, 30_000)),
                node.partitions,
                () -> enabled);
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(node.faults.faults()).isEmpty();
        assertThat(node.sent).isEmpty();
        assertThat(verification.waiting()).isZero();
        node.close();
    }

    /// As ProduceHandler does.
    private void produce(int partition, int epoch, int sequence, short version) {
        produce(partition, "x", 7L, epoch, sequence, version);
    }

    private void produce(int index, String transactionalId, long producerId, int epoch, int sequence, short version) {
        produce(index, transactionalId, LedPartitions.batch(producerId, epoch, sequence, 2), sequence, version);
    }

    private void produce(int index, String transactionalId, BufferRecords records, int sequence, short version) {
        var partition = node.partition("t", index);
        var terms = AppendTerms.CLIENT_ALL.with(verification.produceTerms(version));
        partition.appendAsLeader(records, terms, outcome -> {
            if (outcome instanceof AppendOutcome.Unverified) {
                verification.append(
                        partition, transactionalId, version, records, terms, later -> note(sequence, later));
            } else {
                note(sequence, outcome);
            }
        });
    }

    private void note(int sequence, AppendOutcome outcome) {
        outcomes.add(sequence
                + switch (outcome) {
                    case AppendOutcome.Appended it -> "@" + it.baseOffset();
                    case AppendOutcome.Duplicate it -> "=" + it.baseOffset();
                    case AppendOutcome.Unverified ignored -> "?";
                    case AppendOutcome.Rejected it -> " " + it.error();
                });
    }

    private void marker(int epoch, int version) {
        node.partition("t", 0)
                .appendAsLeader(
                        HeapRecords.of(ControlRecord.endTransactionBatch(
                                7L, (short) epoch, 1L, new ControlRecord.EndTransaction(false, 1))),
                        new AppendTerms(
                                AppendOrigin.TRANSACTION_MARKER,
                                AppendTerms.ANY_EPOCH,
                                true,
                                TransactionTerms.ofMarker(version)),
                        outcome -> note(-1, outcome));
    }

    private AddPartitionsToTxnRequestData question() {
        return (AddPartitionsToTxnRequestData) node.sent.element().request();
    }

    private void answer(Errors error) {
        var sent = node.sent.remove();
        var response = new AddPartitionsToTxnResponseData();
        for (var transaction : ((AddPartitionsToTxnRequestData) sent.request()).transactions()) {
            var result = new AddPartitionsToTxnResult().setTransactionalId(transaction.transactionalId());
            for (var topic : transaction.topics()) {
                var ofTopic = new AddPartitionsToTxnTopicResult().setName(topic.name());
                for (int index : topic.partitions()) {
                    ofTopic.resultsByPartition()
                            .add(new AddPartitionsToTxnPartitionResult()
                                    .setPartitionIndex(index)
                                    .setPartitionErrorCode(error.code()));
                }
                result.topicResults().add(ofTopic);
            }
            response.resultsByTransaction().add(result);
        }
        sent.answer().complete(response);
    }

    @Test
    void recordsThatWaitedForThePartitionMayWaitForTheCoordinatorToo() {
        var frame = Unpooled.copiedBuffer(LedPartitions.batch(7L, 3, 0, 2).buffer());
        node.partition("t", 0).appendQueued(() -> {
            // Somebody is inside the partition, so this is left for later, and the request's frame is given back.
            produce(0, "x", new ByteBufRecords(frame), 0, NEW);
            frame.release();
            return null;
        });
        answer(Errors.NONE);
        assertThat(outcomes).containsExactly("0@0");
        assertThat(frame.refCnt()).isZero();
    }

    @Test
    void theFirstBatchOfATransactionWaitsForItsCoordinator() {
        produce(0, 3, 0, NEW);
        assertThat(outcomes).isEmpty();
        assertThat(node.sent.element().brokerId()).isEqualTo(2);
        assertThat(node.sent.element().version()).isEqualTo((short) 5);
        var asked = question().transactions().getFirst();
        assertThat(asked.transactionalId()).isEqualTo("x");
        assertThat(asked.producerId()).isEqualTo(7);
        assertThat(asked.producerEpoch()).isEqualTo((short) 3);
        assertThat(asked.verifyOnly()).isFalse();
        assertThat(asked.topics().getFirst().name()).isEqualTo("t");
        assertThat(asked.topics().getFirst().partitions()).containsExactly(0);
        answer(Errors.NONE);
        produce(0, 3, 2, NEW);
        assertThat(outcomes).containsExactly("0@0", "2@2");
    }

    @Test
    void clientsThatAddPartitionsThemselvesAreOnlyVerified() {
        produce(0, 3, 5, OLD);
        assertThat(question().transactions().getFirst().verifyOnly()).isTrue();
        answer(Errors.NONE);
        assertThat(outcomes).containsExactly("5@0");
    }

    @Test
    void withoutVerificationOnlyThoseAreAskedAboutWhoseLeaderAdds() {
        enabled = false;
        produce(0, 3, 0, OLD);
        assertThat(outcomes).containsExactly("0@0");
        produce(1, 3, 0, NEW);
        answer(Errors.NONE);
        assertThat(outcomes).containsExactly("0@0", "0@0");
    }

    @Test
    void batchesBehindTheFirstDoNotOvertakeIt() {
        produce(0, 3, 0, NEW);
        produce(0, 3, 2, NEW);
        produce(0, 3, 4, NEW);
        assertThat(verification.waiting()).isEqualTo(3);
        answer(Errors.NONE);
        produce(0, 3, 6, NEW);
        assertThat(outcomes).containsExactly("0@0", "2@2", "4@4", "6@6");
    }

    @Test
    void whatIsAskedWhileARequestIsOpenGoesTogether() {
        produce(0, "x", 7L, 3, 0, NEW);
        produce(1, "x", 7L, 3, 0, NEW);
        produce(2, "x", 7L, 3, 0, NEW);
        produce(0, "y", 8L, 0, 0, NEW);
        produce(1, "y", 8L, 1, 0, NEW);
        answer(Errors.NONE);
        assertThat(question().transactions()).hasSize(2);
        assertThat(question().transactions().getFirst().topics().getFirst().partitions())
                .containsExactly(1, 2);
        answer(Errors.NONE);
        // Another epoch of the same transactional id has to wait for the next request.
        assertThat(question().transactions()).hasSize(1);
        answer(Errors.NONE);
        assertThat(outcomes).hasSize(5).allMatch(it -> it.startsWith("0@"));
    }

    @Test
    void aTransactionThatEndsWhileItsBatchWaitsIsNotOpenedAgain() {
        produce(0, 3, 0, NEW);
        marker(4, 2);
        answer(Errors.NONE);
        assertThat(outcomes).containsExactly("-1@0", "0 INVALID_PRODUCER_EPOCH");

        produce(0, 4, 0, OLD);
        marker(4, 0);
        answer(Errors.NONE);
        assertThat(outcomes.subList(2, 4)).containsExactly("-1@1", "0 INVALID_TXN_STATE");
    }

    @Test
    void aMarkerOfTheTransactionBeforeDoesNotDisturbTheNext() {
        // The coordinator's answer to the producer, and the marker, can come in any order.
        produce(0, 4, 0, NEW);
        marker(4, 2);
        answer(Errors.NONE);
        assertThat(outcomes).containsExactly("-1@0", "0@1");
    }

    @Test
    void errorsAreTranslatedForProducers() {
        var old = Map.of(
                Errors.CONCURRENT_TRANSACTIONS, Errors.NOT_ENOUGH_REPLICAS,
                Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.NOT_ENOUGH_REPLICAS,
                Errors.NOT_COORDINATOR, Errors.NOT_ENOUGH_REPLICAS,
                Errors.INVALID_TXN_STATE, Errors.INVALID_TXN_STATE,
                Errors.PRODUCER_FENCED, Errors.INVALID_PRODUCER_EPOCH,
                Errors.INVALID_PRODUCER_ID_MAPPING, Errors.INVALID_PRODUCER_ID_MAPPING);
        node.advance(0);
        old.forEach((said, told) -> {
            assertThat(refusal(OLD, said)).isEqualTo(told);
            assertThat(refusal(NEW, said))
                    .isEqualTo(said == Errors.CONCURRENT_TRANSACTIONS ? Errors.CONCURRENT_TRANSACTIONS : told);
        });
        assertThat(refusal((short) 10, Errors.TRANSACTION_ABORTABLE)).isEqualTo(Errors.INVALID_TXN_STATE);
        assertThat(refusal(OLD, Errors.TRANSACTION_ABORTABLE)).isEqualTo(Errors.TRANSACTION_ABORTABLE);
    }

    private Errors refusal(short version, Errors said) {
        outcomes.clear();
        produce(0, 3, 0, version);
        while (outcomes.isEmpty()) {
            answer(said);
            node.advance(20);
        }
        var told = outcomes.getFirst();
        return Errors.valueOf(told.substring(told.indexOf(' ') + 1));
    }

    @Test
    void aTransactionWhoseEndIsBeingWrittenIsAskedAboutAgain() {
        produce(0, 3, 0, NEW);
        for (int i = 0; i < 3; i++) {
            answer(Errors.CONCURRENT_TRANSACTIONS);
            assertThat(node.sent).isEmpty();
            node.advance(20);
        }
        answer(Errors.NONE);
        assertThat(outcomes).containsExactly("0@0");
    }

    @Test
    void patienceEnds() {
        produce(0, 3, 0, NEW);
        for (int i = 0; i < 5; i++) {
            answer(Errors.CONCURRENT_TRANSACTIONS);
            node.advance(20);
        }
        answer(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(outcomes).containsExactly("0 CONCURRENT_TRANSACTIONS");
    }

    @Test
    void aCoordinatorThatCannotBeAskedIsTriedByTheProducer() {
        produce(0, 3, 0, NEW);
        produce(0, 3, 2, NEW);
        Objects.requireNonNull(node.sent.poll())
                .answer()
                .completeExceptionally(new ApiException(Errors.NETWORK_EXCEPTION));
        assertThat(outcomes).containsExactly("0 NOT_ENOUGH_REPLICAS", "2 NOT_ENOUGH_REPLICAS");
        // A batch behind those is not told of a gap.
        produce(0, 3, 4, NEW);
        answer(Errors.NONE);
        produce(0, 3, 0, NEW);
        answer(Errors.NONE);
        assertThat(outcomes.subList(2, 4)).containsExactly("4 NOT_ENOUGH_REPLICAS", "0@0");

        coordinator = -1;
        produce(1, 3, 0, NEW);
        assertThat(outcomes).last().isEqualTo("0 NOT_ENOUGH_REPLICAS");
    }

    @Test
    void aGapBehindABatchThatAskedIsAGap() {
        produce(0, 3, 0, OLD);
        answer(Errors.INVALID_TXN_STATE);
        produce(0, 3, 2, OLD);
        answer(Errors.NONE);
        assertThat(outcomes).containsExactly("0 INVALID_TXN_STATE", "2 OUT_OF_ORDER_SEQUENCE_NUMBER");
    }

    @Test
    void anEpochThatIsOverIsNotAskedAbout() {
        marker(5, 2);
        produce(0, 4, 0, NEW);
        assertThat(outcomes).containsExactly("-1@0", "0 INVALID_PRODUCER_EPOCH");
    }

    @Test
    void offsetsAreAskedAboutToo() {
        var answers = new ArrayList<String>();
        var answer = new TransactionVerification.OffsetsAnswer() {
            @Override
            public void verified(TransactionTerms terms) {
                answers.add(terms.check() + (terms.guard() == null ? "" : " guarded"));
            }

            @Override
            public void refused(Errors error) {
                answers.add(error.name());
            }
        };
        var id = new TopicPartition("t", 0);
        verification.verifyOffsets(id, "x", 7L, (short) 0, (short) 5, answer);
        assertThat(question().transactions().getFirst().verifyOnly()).isFalse();
        answer(Errors.NONE);
        verification.verifyOffsets(id, "x", 7L, (short) 0, (short) 4, answer);
        assertThat(question().transactions().getFirst().verifyOnly()).isTrue();
        answer(Errors.TRANSACTION_ABORTABLE);
        verification.verifyOffsets(id, "x", 7L, (short) 0, (short) 3, answer);
        answer(Errors.TRANSACTION_ABORTABLE);
        enabled = false;
        verification.verifyOffsets(id, "x", 7L, (short) 0, (short) 3, answer);
        verification.verifyOffsets(new TopicPartition("u", 0), "x", 7L, (short) 0, (short) 5, answer);
        assertThat(answers)
                .containsExactly(
                        "ADDED guarded",
                        "TRANSACTION_ABORTABLE",
                        "INVALID_TXN_STATE",
                        "NONE",
                        "UNKNOWN_TOPIC_OR_PARTITION");
    }
}
