package io.moldau.log.producer;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.testing.Seeds;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProducerStatesTest {

    private static final ProducerSnapshot.Owner OWNER = new ProducerSnapshot.Owner(new Uuid(1, 2), 3, 4);

    private final ProducerStates states = new ProducerStates();
    private long nextOffset;

    private static RecordBatch batch(int epoch, int sequence, int count, boolean transactional, long offset) {
        var builder = new BatchBuilder()
                .baseOffset(offset)
                .producer(9, (short) epoch, sequence)
                .transactional(transactional);
        for (int i = 0; i < count; i++) {
            builder.append(1000, null, new byte[1]);
        }
        return RecordBatch.at(builder.build());
    }

    private SequenceCheck send(int epoch, int sequence, int count) {
        return send(epoch, sequence, count, false);
    }

    private SequenceCheck send(int epoch, int sequence, int count, boolean transactional) {
        var batch = batch(epoch, sequence, count, transactional, nextOffset);
        var check = states.check(batch, true, null);
        if (check instanceof SequenceCheck.InOrder) {
            states.append(batch, null);
            nextOffset += count;
        }
        return check;
    }

    private @Nullable CompletedTransaction end(int epoch, boolean commit, int coordinatorEpoch) {
        var batch = batch(epoch, RecordBatch.NO_SEQUENCE, 1, true, nextOffset++);
        var marker = new EndTransactionMarker(commit, coordinatorEpoch);
        assertThat(states.check(batch, false, marker)).isEqualTo(SequenceCheck.IN_ORDER);
        return states.append(batch, marker);
    }

    private static Errors error(SequenceCheck check) {
        assertThat(check).isInstanceOf(SequenceCheck.Refused.class);
        return ((SequenceCheck.Refused) check).error();
    }

    @Test
    void sequencesWrapAroundAfterTheLargestInt() {
        assertThat(send(0, Integer.MAX_VALUE - 1, 4)).isEqualTo(SequenceCheck.IN_ORDER);
        assertThat(send(0, 2, 1)).isEqualTo(SequenceCheck.IN_ORDER);
        assertThat(send(0, Integer.MAX_VALUE - 1, 4)).isEqualTo(new SequenceCheck.Duplicate(0, 3, 1000));
        assertThat(error(send(0, 4, 1))).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
    }

    @Test
    void anUnknownProducerMayStartAnywhere() {
        assertThat(send(3, 77, 2)).isEqualTo(SequenceCheck.IN_ORDER);
        assertThat(send(3, 79, 1)).isEqualTo(SequenceCheck.IN_ORDER);
    }

    @Test
    void anEpochEndsTheOneBefore() {
        send(1, 0, 3);
        assertThat(error(send(2, 3, 1))).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertThat(send(2, 0, 3)).isEqualTo(SequenceCheck.IN_ORDER);
        assertThat(error(send(1, 3, 1))).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
    }

    @Test
    void transactionsHoldBackTheirFirstOffset() {
        send(0, 0, 2, true);
        send(0, 2, 2, true);
        assertThat(states.firstUnstableOffset()).isZero();
        assertThat(error(send(0, 4, 1))).isEqualTo(Errors.INVALID_TXN_STATE);

        assertThat(end(0, false, 5)).isEqualTo(new CompletedTransaction(9, 0, 4, true));
        assertThat(states.firstUnstableOffset()).isZero();
        states.onHighWatermark(4);
        assertThat(states.firstUnstableOffset()).isZero();
        states.onHighWatermark(5);
        assertThat(states.firstUnstableOffset()).isEqualTo(Long.MAX_VALUE);
        // A second marker ends nothing.
        assertThat(end(0, false, 5)).isNull();
    }

    @Test
    void markersOfAnOldCoordinatorAreFenced() {
        send(0, 0, 1, true);
        end(0, true, 5);
        var batch = batch(0, RecordBatch.NO_SEQUENCE, 1, true, nextOffset);
        assertThat(error(states.check(batch, false, new EndTransactionMarker(true, 4))))
                .isEqualTo(Errors.TRANSACTION_COORDINATOR_FENCED);
        assertThat(states.check(batch, false, new EndTransactionMarker(true, 6)))
                .isEqualTo(SequenceCheck.IN_ORDER);
    }

    @Test
    void expiryForgetsOnlyIdleProducersWithoutATransaction() {
        send(0, 0, 1, true);
        states.removeExpired(1000 + 100, 100);
        assertThat(states.size()).isOne();
        end(0, true, 1);
        states.removeExpired(1000 + 99, 100);
        assertThat(states.size()).isOne();
        states.removeExpired(1000 + 100, 100);
        assertThat(states.isEmpty()).isTrue();
    }

    /// Beside a list of everything the producer ever sent in its epoch; and through the bytes of a snapshot.
    @Seeds(count = 50)
    void agreesWithAListOfBatches(long seed) {
        var random = new Random(seed);
        var tested = new ProducerStates();
        List<int[]> sent = new ArrayList<>();
        int epoch = 0;
        long offset = 0;
        for (int step = 0; step < 100; step++) {
            if (random.nextInt(15) == 0) {
                epoch++;
                sent.clear();
            }
            int next = sent.isEmpty() ? 0 : sent.getLast()[0] + sent.getLast()[1];
            int count = 1 + random.nextInt(3);
            int sequence = next;
            if (!sent.isEmpty() && random.nextInt(2) == 0) {
                var again = sent.get(random.nextInt(sent.size()));
                sequence = again[0];
                count = again[1];
            }
            var batch = batch(epoch, sequence, count, false, offset);
            var check = tested.check(batch, true, null);
            if (sequence == next) {
                assertThat(check).isEqualTo(SequenceCheck.IN_ORDER);
                tested.append(batch, null);
                sent.add(new int[] {sequence, count, (int) offset});
                offset += count;
            } else {
                int index = -1;
                for (int i = 0; i < sent.size(); i++) {
                    index = sent.get(i)[0] == sequence && sent.get(i)[1] == count ? i : index;
                }
                if (index >= sent.size() - 5) {
                    int first = sent.get(index)[2];
                    assertThat(check).isEqualTo(new SequenceCheck.Duplicate(first, first + count - 1, 1000));
                } else {
                    assertThat(error(check)).isEqualTo(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
                }
            }
            if (random.nextInt(5) == 0) {
                var bytes = ProducerSnapshot.format(tested, OWNER);
                var read = ProducerSnapshot.parse(bytes, 1000, 100).orElseThrow();
                assertThat(read.activeProducers()).isEqualTo(tested.activeProducers());
                assertThat(ProducerSnapshot.format(read, OWNER)).isEqualTo(bytes);
                tested = read;
                bytes[random.nextInt(bytes.length)] ^= 4;
                assertThat(ProducerSnapshot.parse(bytes, 1000, 100)).isEmpty();
            }
        }
    }
}
