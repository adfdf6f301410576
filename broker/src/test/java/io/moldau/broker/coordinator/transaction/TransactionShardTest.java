package io.moldau.broker.coordinator.transaction;

import static io.moldau.broker.coordinator.transaction.TransactionHarness.A0;
import static io.moldau.broker.coordinator.transaction.TransactionHarness.B1;
import static io.moldau.broker.coordinator.transaction.TransactionHarness.ID;
import static io.moldau.broker.coordinator.transaction.TransactionHarness.TIMEOUT_MS;
import static io.moldau.broker.coordinator.transaction.TransactionHarness.request;
import static io.moldau.broker.coordinator.transaction.TransactionHarness.stateOf;
import static io.moldau.broker.coordinator.transaction.TransactionStatus.COMPLETE_ABORT;
import static io.moldau.broker.coordinator.transaction.TransactionStatus.COMPLETE_COMMIT;
import static io.moldau.broker.coordinator.transaction.TransactionStatus.EMPTY;
import static io.moldau.broker.coordinator.transaction.TransactionStatus.ONGOING;
import static io.moldau.broker.coordinator.transaction.TransactionStatus.PREPARE_ABORT;
import static io.moldau.broker.coordinator.transaction.TransactionStatus.PREPARE_COMMIT;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerAnswer;
import io.moldau.broker.coordinator.transaction.TransactionShard.ProducerIdAndEpoch;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What the coordinator answers in every state, and where that leads. A story for each rule.
class TransactionShardTest {

    private static final int LAST_EPOCH = Short.MAX_VALUE - 1;

    private final TransactionHarness it = new TransactionHarness();

    // ---- producers ----

    @Test
    void theFirstProducerGetsAFreshIdAndTheNextOneItsNextEpoch() {
        assertThat(it.init()).isEqualTo(new ProducerAnswer(Errors.NONE, 1000, (short) 0));
        assertThat(it.init()).isEqualTo(new ProducerAnswer(Errors.NONE, 1000, (short) 1));
        assertThat(it.state().status()).isEqualTo(EMPTY);
        assertThat(it.state().startMs()).isEqualTo(-1);
        assertThat(it.init("y", null).get()).isEqualTo(new ProducerAnswer(Errors.NONE, 1001, (short) 0));
    }

    @ParameterizedTest
    @CsvSource({
        // Who the client takes itself to be; the producer is 7 in epoch 5.
        "7, 5, NONE, 6",
        "7, 4, PRODUCER_FENCED, -1",
        "7, 6, PRODUCER_FENCED, -1",
        "8, 5, PRODUCER_FENCED, -1",
    })
    void aProducerThatGoesOnMustBeThePresentOne(long id, int epoch, Errors error, int newEpoch) {
        for (var status : new TransactionStatus[] {EMPTY, COMPLETE_COMMIT, COMPLETE_ABORT}) {
            var fresh = new TransactionHarness().given(stateOf(status, 5, 0));
            var answer = fresh.init(id, epoch);
            assertThat(answer.error()).as("%s", status).isEqualTo(error);
            assertThat(answer.producerEpoch()).as("%s", status).isEqualTo((short) newEpoch);
        }
    }

    @Test
    void aRetryOfGoingOnIsAnsweredAsTheFirstTime() {
        it.given(stateOf(EMPTY, 5, 0));
        assertThat(it.init(7, 5).producerEpoch()).isEqualTo((short) 6);
        assertThat(it.init(7, 5).producerEpoch()).isEqualTo((short) 6);
        assertThat(it.init(7, 6).producerEpoch()).isEqualTo((short) 7);
        assertThat(it.init(7, 5).error()).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(it.init().producerEpoch()).isEqualTo((short) 8);
        assertThat(it.init(7, 7).error()).as("another producer has taken over").isEqualTo(Errors.PRODUCER_FENCED);
    }

    @Test
    void aProducerThatHasNotHeardOfTheEndOfItsTransactionGoesOnInTheEpochAfterIt() {
        it.given(stateOf(COMPLETE_ABORT, 6, 2));
        assertThat(it.init(7, 5)).isEqualTo(new ProducerAnswer(Errors.NONE, 7, (short) 6));
    }

    @Test
    void aProducerThatIsForgottenGetsAnotherIdWhateverItWas() {
        assertThat(it.init(55, 9)).isEqualTo(new ProducerAnswer(Errors.NONE, 1000, (short) 0));
    }

    @Test
    void whenTheEpochsAreUsedUpThereIsAnotherProducerId() {
        it.given(stateOf(COMPLETE_COMMIT, LAST_EPOCH, 0));
        assertThat(it.init()).isEqualTo(new ProducerAnswer(Errors.NONE, 1000, (short) 0));
        assertThat(it.state().previousProducerId()).isEqualTo(7);

        var goesOn = new TransactionHarness().given(stateOf(EMPTY, LAST_EPOCH, 0));
        assertThat(goesOn.init(7, LAST_EPOCH)).isEqualTo(new ProducerAnswer(Errors.NONE, 1000, (short) 0));
        assertThat(goesOn.init(7, LAST_EPOCH))
                .as("again, for the answer was lost")
                .isEqualTo(new ProducerAnswer(Errors.NONE, 1000, (short) 0));
        assertThat(goesOn.nextProducerId()).isEqualTo(1001);
    }

    @Test
    void withoutFreshIdsNobodyIsInitialized() {
        it.refuseIds(Errors.COORDINATOR_LOAD_IN_PROGRESS);
        assertThat(it.init()).isEqualTo(ProducerAnswer.failed(Errors.COORDINATOR_LOAD_IN_PROGRESS));
        assertThat(it.shard().ids()).isEmpty();
    }

    @Test
    void thereIsABoundOfIds() {
        var few = new TransactionHarness(new TransactionCoordinatorConfig(900_000, 10_000, 1, 1_000, 2));
        few.init("1", null);
        few.init("2", null);
        assertThat(few.init("3", null).get().error()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        few.shell().advance(1_000);
        assertThat(few.init("3", null).get().error()).isEqualTo(Errors.NONE);
    }

    // ---- taking over ----

    @Test
    void takingOverAbortsWhatIsOpen() {
        it.given(stateOf(ONGOING, 5, 2));
        assertThat(it.init().error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);

        assertThat(it.markers())
                .containsExactly(
                        new EndMarkers(3, it.coordinatorEpoch(), ID, 7, (short) 6, false, (short) 2, Set.of(A0, B1)));
        assertThat(it.init().error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        it.writeMarkers();
        assertThat(it.state().status()).isEqualTo(COMPLETE_ABORT);
        assertThat(it.init()).isEqualTo(new ProducerAnswer(Errors.NONE, 7, (short) 7));
    }

    @Test
    void beforeVersion2TakingOverCostsAnEpochOfItsOwn() {
        it.transactionVersion(0).given(stateOf(ONGOING, 5, 0));
        assertThat(it.init().error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(it.markers().getFirst().producerEpoch()).isEqualTo((short) 6);
        assertThat(it.markers().getFirst().transactionVersion()).isZero();
        assertThat(it.state().clientVersion()).isZero();
        it.writeMarkers();
        assertThat(it.init().producerEpoch()).isEqualTo((short) 7);
    }

    @Test
    void theLastEpochIsForFencing() {
        it.transactionVersion(0).given(stateOf(ONGOING, LAST_EPOCH, 0));
        it.init();
        assertThat(it.markers().getFirst().producerEpoch()).isEqualTo(Short.MAX_VALUE);
        it.writeMarkers();
        assertThat(it.init()).isEqualTo(new ProducerAnswer(Errors.NONE, 1000, (short) 0));

        var second = new TransactionHarness().given(stateOf(ONGOING, LAST_EPOCH, 2));
        second.init();
        assertThat(second.markers().getFirst().producerId()).isEqualTo(7);
        assertThat(second.markers().getFirst().producerEpoch()).isEqualTo(Short.MAX_VALUE);
        assertThat(second.state().nextProducerId()).isEqualTo(1000);
        second.writeMarkers();
        assertThat(second.init()).isEqualTo(new ProducerAnswer(Errors.NONE, 1000, (short) 1));
    }

    // ---- partitions ----

    @Test
    void aTransactionBeginsWithItsFirstPartition() {
        it.init();
        it.shell().advance(5);
        assertThat(it.add(A0)).isEqualTo(Errors.NONE);
        assertThat(it.state().status()).isEqualTo(ONGOING);
        long began = it.shell().nowMs();
        assertThat(it.state().startMs()).isEqualTo(began);
        it.shell().advance(5);
        assertThat(it.add(B1)).isEqualTo(Errors.NONE);
        assertThat(it.state().partitions()).containsExactlyInAnyOrder(A0, B1);
        assertThat(it.state().startMs()).isEqualTo(began);
        int written = it.shell().log().size();
        assertThat(it.add(A0, B1)).isEqualTo(Errors.NONE);
        assertThat(it.shell().log()).as("nothing new").hasSize(written);
    }

    @ParameterizedTest
    @EnumSource(
            value = TransactionStatus.class,
            names = {"EMPTY", "ONGOING", "COMPLETE_COMMIT", "COMPLETE_ABORT", "PREPARE_COMMIT", "PREPARE_ABORT"})
    void onlyThePresentProducerAddsPartitionsAndNotWhileItsTransactionEnds(TransactionStatus status) {
        it.given(stateOf(status, 5, 2));
        var c = new TopicPartition("c", 0);
        if (status.isPrepared()) {
            for (var producer : List.of(request(8, 5), request(7, 4), request(7, 6), request(7, 5))) {
                assertThat(it.add(producer, 0, c).get()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
            }
            return;
        }
        assertThat(it.add(request(8, 5), 0, c).get()).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(it.add(request(7, 4), 0, c).get()).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(it.add(request(7, 6), 0, c).get()).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(it.add(request(7, 5), 0, c).get()).isEqualTo(Errors.NONE);
    }

    @Test
    void anUnknownIdHasNoProducer() {
        assertThat(it.add(request(7, 5), 0, A0).get()).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(it.end(7, 5, true, 0).error()).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(it.end(7, 5, true, 2).error()).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(it.shard().verify(request(7, 5), Set.of(A0)))
                .isEqualTo(Map.of(A0, Errors.INVALID_PRODUCER_ID_MAPPING));
        assertThat(it.shard().describe(ID).errorCode()).isEqualTo(Errors.TRANSACTIONAL_ID_NOT_FOUND.code());
    }

    @Test
    void partitionsAreVerifiedAgainstWhatIsCommitted() {
        var c = new TopicPartition("c", 0);
        it.given(stateOf(ONGOING, 5, 2));
        assertThat(it.shard().verify(request(7, 5), Set.of(A0, c)))
                .isEqualTo(Map.of(A0, Errors.NONE, c, Errors.TRANSACTION_ABORTABLE));
        it.shell().holdCommits();
        it.add(it.producer(), 2, c);
        assertThat(it.shard().verify(request(7, 5), Set.of(c))).isEqualTo(Map.of(c, Errors.TRANSACTION_ABORTABLE));
        it.shell().commitAll();
        assertThat(it.shard().verify(request(7, 5), Set.of(c))).isEqualTo(Map.of(c, Errors.NONE));
        assertThat(it.shard().verify(request(7, 4), Set.of(c))).isEqualTo(Map.of(c, Errors.PRODUCER_FENCED));
        assertThat(it.shard().verify(request(8, 5), Set.of(c)))
                .isEqualTo(Map.of(c, Errors.INVALID_PRODUCER_ID_MAPPING));

        it.end(true, 2);
        assertThat(it.shard().verify(it.producer(), Set.of(c))).isEqualTo(Map.of(c, Errors.CONCURRENT_TRANSACTIONS));
        it.writeMarkers();
        assertThat(it.shard().verify(it.producer(), Set.of(c))).isEqualTo(Map.of(c, Errors.TRANSACTION_ABORTABLE));
    }

    // ---- ends, by state ----

    @ParameterizedTest
    @CsvSource({
        "EMPTY, INVALID_TXN_STATE, INVALID_TXN_STATE",
        "ONGOING, NONE, NONE",
        "PREPARE_COMMIT, CONCURRENT_TRANSACTIONS, CONCURRENT_TRANSACTIONS",
        "PREPARE_ABORT, CONCURRENT_TRANSACTIONS, CONCURRENT_TRANSACTIONS",
        "COMPLETE_COMMIT, NONE, INVALID_TXN_STATE",
        "COMPLETE_ABORT, INVALID_TXN_STATE, NONE",
    })
    void anEndOfAnOldClientIsJudgedByTheState(TransactionStatus status, Errors commit, Errors abort) {
        for (boolean commits : new boolean[] {true, false}) {
            var fresh = new TransactionHarness().given(stateOf(status, 5, 0));
            fresh.markers().clear();
            assertThat(fresh.end(8, 5, commits, 0).error()).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
            assertThat(fresh.end(7, 4, commits, 0).error()).isEqualTo(Errors.PRODUCER_FENCED);
            assertThat(fresh.end(7, 6, commits, 0).error()).isEqualTo(Errors.PRODUCER_FENCED);
            assertThat(fresh.end(7, 5, commits, 0).error()).isEqualTo(commits ? commit : abort);
            if (status == ONGOING) {
                assertThat(fresh.markers().getFirst())
                        .isEqualTo(new EndMarkers(
                                3, fresh.coordinatorEpoch(), ID, 7, (short) 5, commits, (short) 0, Set.of(A0, B1)));
                fresh.writeMarkers();
                assertThat(fresh.state().status()).isEqualTo(commits ? COMPLETE_COMMIT : COMPLETE_ABORT);
                assertThat(fresh.state().producerEpoch()).isEqualTo((short) 5);
                assertThat(fresh.state().partitions()).isEmpty();
            } else {
                assertThat(fresh.markers()).isEmpty();
            }
        }
    }

    // ---- ends, by epoch ----

    @ParameterizedTest
    @CsvSource({
        // In the present epoch, 5; then in the one before.
        "EMPTY, INVALID_TXN_STATE, NONE, PRODUCER_FENCED, PRODUCER_FENCED",
        "ONGOING, NONE, NONE, PRODUCER_FENCED, PRODUCER_FENCED",
        "COMPLETE_COMMIT, INVALID_TXN_STATE, NONE, NONE, INVALID_TXN_STATE",
        "COMPLETE_ABORT, INVALID_TXN_STATE, NONE, INVALID_TXN_STATE, NONE",
    })
    void anEndOfANewClientIsJudgedByItsEpochToo(
            TransactionStatus status, Errors commit, Errors abort, Errors commitBefore, Errors abortBefore) {
        for (boolean commits : new boolean[] {true, false}) {
            var fresh = new TransactionHarness().given(stateOf(status, 5, 2));
            fresh.markers().clear();
            assertThat(fresh.end(8, 5, commits, 2).error()).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
            assertThat(fresh.end(7, 3, commits, 2).error()).isEqualTo(Errors.PRODUCER_FENCED);
            assertThat(fresh.end(7, 6, commits, 2).error()).isEqualTo(Errors.PRODUCER_FENCED);
            var before = fresh.end(7, 4, commits, 2);
            assertThat(before.error()).isEqualTo(commits ? commitBefore : abortBefore);
            if (before.error() == Errors.NONE) {
                assertThat(before).as("a retry").isEqualTo(new ProducerAnswer(Errors.NONE, 7, (short) 5));
            }
            assertThat(fresh.markers()).isEmpty();

            var now = fresh.end(7, 5, commits, 2);
            assertThat(now.error()).isEqualTo(commits ? commit : abort);
            if (now.error() == Errors.NONE) {
                assertThat(now).isEqualTo(new ProducerAnswer(Errors.NONE, 7, (short) 6));
                assertThat(fresh.markers().getFirst())
                        .isEqualTo(new EndMarkers(
                                3,
                                fresh.coordinatorEpoch(),
                                ID,
                                7,
                                (short) 6,
                                commits,
                                (short) 2,
                                status == ONGOING ? Set.of(A0, B1) : Set.of()));
                fresh.writeMarkers();
                assertThat(fresh.end(7, 5, commits, 2)).as("a retry").isEqualTo(now);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5, 6})
    void whileAnEndIsOnItsWayANewClientWaitsWhateverItsEpoch(int epoch) {
        for (var status : List.of(PREPARE_COMMIT, PREPARE_ABORT)) {
            for (boolean commits : new boolean[] {true, false}) {
                var fresh = new TransactionHarness().given(stateOf(status, 5, 2));
                // In epoch 5 it is the end of the next transaction.
                assertThat(fresh.end(7, epoch, commits, 2).error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
                assertThat(fresh.init(7, epoch).error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
            }
        }
    }

    @Test
    void theLastEpochEndsWithAnotherProducerId() {
        it.given(stateOf(ONGOING, LAST_EPOCH, 2));
        var answer = it.end(7, LAST_EPOCH, true, 2);
        assertThat(answer).isEqualTo(new ProducerAnswer(Errors.NONE, 1000, (short) 0));
        assertThat(it.markers().getFirst().producerId()).isEqualTo(7);
        assertThat(it.markers().getFirst().producerEpoch()).isEqualTo(Short.MAX_VALUE);
        assertThat(it.end(7, LAST_EPOCH, true, 2).error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        it.writeMarkers();
        assertThat(it.end(7, LAST_EPOCH, true, 2)).as("a retry").isEqualTo(answer);
        assertThat(it.end(7, LAST_EPOCH, false, 2).error()).isEqualTo(Errors.INVALID_TXN_STATE);
        assertThat(it.add(A0)).isEqualTo(Errors.NONE);
        assertThat(it.state().producerId()).isEqualTo(1000);
    }

    @Test
    void anAbortOfNothingHasAStart() {
        it.init();
        it.shell().advance(7);
        it.end(false, 2);
        assertThat(it.state().status()).isEqualTo(PREPARE_ABORT);
        assertThat(it.state().startMs()).isEqualTo(it.shell().nowMs());
    }

    // ---- while nothing is committed ----

    @Test
    void whileAChangeIsNotCommittedEverybodyWaits() {
        it.init();
        it.shell().holdCommits();
        var first = it.add(it.producer(), 0, A0);
        assertThat(first.isThere()).isFalse();
        assertThat(it.init().error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(it.add(B1)).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(it.end(true, 0).error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(it.end(true, 2).error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(it.shard().describe(ID).transactionState()).isEqualTo("Empty");
        it.shell().commitAll();
        assertThat(first.get()).isEqualTo(Errors.NONE);

        it.shell().holdCommits();
        var end = it.end(it.producer(), true, 2);
        assertThat(end.isThere()).isFalse();
        assertThat(it.markers()).isEmpty();
        assertThat(it.shard().describe(ID).transactionState()).isEqualTo("Ongoing");
        it.shell().commitAll();
        assertThat(end.get().error()).isEqualTo(Errors.NONE);
        assertThat(it.markers()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "NOT_ENOUGH_REPLICAS, COORDINATOR_NOT_AVAILABLE",
        "UNKNOWN_TOPIC_OR_PARTITION, COORDINATOR_NOT_AVAILABLE",
        "NOT_LEADER_OR_FOLLOWER, NOT_COORDINATOR",
        "KAFKA_STORAGE_ERROR, NOT_COORDINATOR",
        "MESSAGE_TOO_LARGE, UNKNOWN_SERVER_ERROR",
        "NOT_COORDINATOR, NOT_COORDINATOR",
    })
    void whatTheLogRefusesHasNotHappened(Errors refusal, Errors told) {
        it.given(stateOf(ONGOING, 5, 2));
        var before = it.state();
        it.shell().refuseNextWrite(refusal);
        assertThat(it.end(true, 2).error()).isEqualTo(told);
        it.shell().refuseNextWrite(refusal);
        assertThat(it.add(new TopicPartition("c", 0))).isEqualTo(told);
        it.shell().refuseNextWrite(refusal);
        assertThat(it.init().error()).isEqualTo(told);
        assertThat(it.state()).isEqualTo(before);
        assertThat(it.markers()).isEmpty();
        assertThat(it.end(true, 2).error()).isEqualTo(Errors.NONE);
    }

    @Test
    void anEndThatIsCommittedLateIsAnEndAllTheSame() {
        it.given(stateOf(ONGOING, 5, 2));
        it.shell().holdCommits();
        var answer = it.end(it.producer(), true, 2);
        it.shell().timeOutWrites();
        assertThat(answer.get().error()).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(it.end(7, 5, false, 2).error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        it.shell().commitAll();
        assertThat(it.markers()).hasSize(1);
        assertThat(it.end(7, 5, true, 2).error()).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        it.writeMarkers();
        assertThat(it.end(7, 5, true, 2)).isEqualTo(new ProducerAnswer(Errors.NONE, 7, (short) 6));
    }

    @Test
    void anEndThatTookTooLongAndWasLostLeavesTheTransactionOpen() {
        it.given(stateOf(ONGOING, 5, 2));
        it.shell().holdCommits();
        it.end(it.producer(), true, 2);
        it.shell().timeOutWrites();
        it.shell().rejectWrites(Errors.NOT_ENOUGH_REPLICAS);
        it.shell().commitAll();
        assertThat(it.markers()).isEmpty();
        assertThat(it.state().status()).isEqualTo(ONGOING);
        assertThat(it.end(7, 5, false, 2).error()).isEqualTo(Errors.NONE);
    }

    @Test
    void whatIsCompleteIsNotedUntilItIsWritten() {
        it.given(stateOf(ONGOING, 5, 0));
        it.end(true, 0);
        it.shell().refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        it.writeMarkers();
        assertThat(it.state().status()).isEqualTo(PREPARE_COMMIT);
        it.shell().advance(1_000);
        assertThat(it.state().status()).isEqualTo(COMPLETE_COMMIT);
        assertThat(it.markers()).isEmpty();
    }

    @Test
    void theMarkersOfAnotherTransactionCompleteNothing() {
        it.given(stateOf(ONGOING, 5, 0));
        it.end(true, 0);
        var old = it.markers().getFirst();
        it.writeMarkers();
        it.add(A0);
        it.end(true, 0);
        it.shell().run(it.shard().completed(old, it.shell().nowMs()));
        assertThat(it.state().status()).as("other partitions").isEqualTo(PREPARE_COMMIT);
    }

    // ---- time ----

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void aTransactionThatIsOpenTooLongIsAborted(int version) {
        it.transactionVersion(version).init();
        var producer = it.producer();
        it.add(producer, version, A0);
        it.shell().advance(TIMEOUT_MS - 1);
        assertThat(it.state().status()).isEqualTo(ONGOING);
        it.shell().advance(1);
        assertThat(it.state().status()).isEqualTo(PREPARE_ABORT);
        assertThat(it.markers().getFirst().producerEpoch()).isEqualTo((short) 1);
        it.writeMarkers();
        assertThat(it.end(producer.producerId(), 0, true, version).error())
                .isEqualTo(version == 2 ? Errors.INVALID_TXN_STATE : Errors.PRODUCER_FENCED);
        assertThat(it.add(producer, version, A0).get()).isEqualTo(Errors.PRODUCER_FENCED);
        it.shell().advance(10 * TIMEOUT_MS);
        assertThat(it.state().status()).isEqualTo(COMPLETE_ABORT);
    }

    @Test
    void everyTransactionHasItsOwnTime() {
        it.init();
        it.add(it.producer(), 2, A0);
        it.shell().advance(TIMEOUT_MS - 10);
        it.end(true, 2);
        it.writeMarkers();
        it.add(it.producer(), 2, A0);
        it.shell().advance(TIMEOUT_MS - 1);
        assertThat(it.state().status()).isEqualTo(ONGOING);
        it.shell().advance(1);
        assertThat(it.state().status()).isEqualTo(PREPARE_ABORT);
    }

    @Test
    void whatCannotBeAbortedNowIsTriedAgain() {
        it.init();
        it.add(it.producer(), 2, A0);
        it.shell().refuseNextWrite(Errors.NOT_ENOUGH_REPLICAS);
        it.shell().advance(TIMEOUT_MS);
        assertThat(it.state().status()).isEqualTo(ONGOING);
        it.shell().advance(TransactionCoordinatorConfig.DEFAULTS.abortRetryIntervalMs());
        assertThat(it.state().status()).isEqualTo(PREPARE_ABORT);

        var exhausted = new TransactionHarness().given(stateOf(ONGOING, LAST_EPOCH, 2));
        exhausted.refuseIds(Errors.COORDINATOR_LOAD_IN_PROGRESS);
        exhausted.shell().advance(TIMEOUT_MS);
        assertThat(exhausted.state().status()).isEqualTo(ONGOING);
    }

    @Test
    void aTimeThatRunsOutWhileAnEndIsWrittenIsNotForgottenIfThatIsLost() {
        it.init();
        it.add(it.producer(), 2, A0);
        it.shell().advance(TIMEOUT_MS - 1);
        it.shell().holdCommits();
        it.end(it.producer(), true, 2);
        it.shell().advance(1);
        it.shell().rejectWrites(Errors.NOT_ENOUGH_REPLICAS);
        it.shell().commitAll();
        assertThat(it.state().status()).isEqualTo(ONGOING);
        it.shell().advance(TransactionCoordinatorConfig.DEFAULTS.abortRetryIntervalMs());
        assertThat(it.state().status()).isEqualTo(PREPARE_ABORT);
    }

    @Test
    void anIdThatIsIdleLongEnoughIsForgotten() {
        it.init();
        it.init("open", null);
        it.add(new TransactionShard.ProducerRequest("open", 1001, (short) 0), 2, A0);
        it.markers().clear();
        it.shell().advance(TransactionCoordinatorConfig.DEFAULTS.expirationMs() - 1L);
        assertThat(it.shard().ids()).containsExactlyInAnyOrder(ID, "open");
        it.shell().advance(TransactionCoordinatorConfig.DEFAULTS.expirationCheckIntervalMs());
        assertThat(it.shard().ids()).as("its abort waits for markers").containsExactly("open");
        assertThat(it.shell().lastRecord().isTombstone()).isTrue();
        assertThat(it.init()).as("a new producer").isEqualTo(new ProducerAnswer(Errors.NONE, 1002, (short) 0));
    }

    // ---- fail-over ----

    @Test
    void anotherCoordinatorWritesTheMarkersThatAreMissing() {
        it.given(stateOf(ONGOING, 5, 2));
        it.end(true, 2);
        var before = it.markers().getFirst();
        it.markers().clear();
        it.shell().restart(true);
        assertThat(it.unloaded()).last().isEqualTo(new TransactionShard.Term(3, it.coordinatorEpoch() - 1));
        var again = it.markers().getFirst();
        assertThat(again.coordinatorEpoch()).isEqualTo(before.coordinatorEpoch() + 1);
        assertThat(again.partitions()).isEqualTo(before.partitions());
        assertThat(again.producerEpoch()).isEqualTo(before.producerEpoch());
        it.shell().run(it.shard().completed(before, it.shell().nowMs()));
        assertThat(it.state().status()).as("another term's").isEqualTo(PREPARE_COMMIT);
        it.writeMarkers();
        assertThat(it.state().status()).isEqualTo(COMPLETE_COMMIT);
        assertThat(it.end(7, 5, true, 2)).isEqualTo(new ProducerAnswer(Errors.NONE, 7, (short) 6));
    }

    @Test
    void timeGoesOnWhileTheCoordinatorMoves() {
        it.init();
        it.add(A0);
        it.shell().advance(TIMEOUT_MS - 10);
        it.shell().restart(true);
        it.shell().advance(9);
        assertThat(it.state().status()).isEqualTo(ONGOING);
        it.shell().advance(1);
        assertThat(it.state().status()).isEqualTo(PREPARE_ABORT);
    }

    @Test
    void aRetryIsFencedByACoordinatorThatDoesNotRememberTheFirstTry() {
        it.given(stateOf(EMPTY, 5, 0));
        it.init(7, 5);
        it.shell().restart(true);
        assertThat(it.init(7, 5).error()).isEqualTo(Errors.PRODUCER_FENCED);
    }

    // ---- administration ----

    @Test
    void anIdIsDescribedAsItIsCommitted() {
        it.given(stateOf(ONGOING, 5, 2));
        var described = it.shard().describe(ID);
        assertThat(described.errorCode()).isZero();
        assertThat(described.transactionState()).isEqualTo("Ongoing");
        assertThat(described.producerId()).isEqualTo(7);
        assertThat(described.producerEpoch()).isEqualTo((short) 5);
        assertThat(described.transactionTimeoutMs()).isEqualTo(TIMEOUT_MS);
        assertThat(described.transactionStartTimeMs()).isEqualTo(1_000_000);
        assertThat(described.topics())
                .extracting(topic -> topic.topic() + topic.partitions())
                .containsExactly("a[0]", "b[1]");
        assertThat(it.shard().census()).isEqualTo(new TransactionCensus(1, 1, 0));
        assertThat(it.shard().list((id, state) -> state.status() == ONGOING)).hasSize(1);
        assertThat(it.shard().list((id, state) -> false)).isEmpty();
    }

    @Test
    void expectedProducersAreComparedWithThoseBeforeTheRotation() {
        it.given(stateOf(COMPLETE_COMMIT, LAST_EPOCH, 0));
        it.init();
        assertThat(it.init(ID, new ProducerIdAndEpoch(7, (short) 4)).get().error())
                .isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(it.init(7, LAST_EPOCH).error())
                .as("somebody else has taken over")
                .isEqualTo(Errors.PRODUCER_FENCED);
    }
}
