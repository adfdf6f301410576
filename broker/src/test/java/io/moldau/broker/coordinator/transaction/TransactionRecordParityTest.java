package io.moldau.broker.coordinator.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogKey;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogValue;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogValue.PartitionsSchema;
import io.moldau.common.TopicPartition;
import io.moldau.testing.Seeds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.kafka.coordinator.transaction.TransactionCoordinatorRecordSerde;
import org.junit.jupiter.api.Test;

/// Records of `__transaction_state`: the same bytes as the reference's, both ways, in every version; and the same
/// numbers for the same states.
class TransactionRecordParityTest {

    private final TransactionCoordinatorRecordSerde reference = new TransactionCoordinatorRecordSerde();
    private final TransactionRecordDecoder ours = new TransactionRecordDecoder();

    @Seeds
    void values(long seed) {
        var random = new SplittableRandom(seed);
        for (int version = 0; version <= 1; version++) {
            var value = new TransactionLogValue()
                    .setProducerId(random.nextLong())
                    .setProducerEpoch((short) random.nextInt())
                    .setTransactionTimeoutMs(random.nextInt())
                    .setTransactionStatus((byte) random.nextInt(8))
                    .setTransactionPartitions(random.nextBoolean() ? null : partitions(random))
                    .setTransactionLastUpdateTimestampMs(random.nextLong())
                    .setTransactionStartTimestampMs(random.nextLong());
            if (version == 1 && random.nextInt(3) > 0) {
                value.setPreviousProducerId(random.nextLong())
                        .setNextProducerId(random.nextLong())
                        .setClientTransactionVersion((short) random.nextInt(3));
            }
            check(CoordinatorRecord.of(0, new TransactionLogKey().setTransactionalId("t" + seed), value, version));
        }
    }

    private static List<PartitionsSchema> partitions(SplittableRandom random) {
        var topics = new ArrayList<PartitionsSchema>();
        for (int i = random.nextInt(4); i > 0; i--) {
            topics.add(new PartitionsSchema()
                    .setTopic("topic" + i)
                    .setPartitionIds(
                            IntStream.range(0, random.nextInt(5)).boxed().toList()));
        }
        return topics;
    }

    @Test
    void tombstones() {
        check(TransactionRecords.tombstone("gone"));
    }

    private void check(CoordinatorRecord record) {
        var key = record.encodedKey();
        var value = record.encodedValue();
        var theirs = reference.deserialize(ByteBuffer.wrap(key), value == null ? null : ByteBuffer.wrap(value));
        assertThat(reference.serializeKey(theirs)).isEqualTo(key);
        assertThat(reference.serializeValue(theirs)).isEqualTo(value);
        assertThat(ours.decode(ByteBuffer.wrap(key), value == null ? null : ByteBuffer.wrap(value)))
                .isEqualTo(record);
    }

    @Test
    void statesHaveTheReferencesNumbersAndNames() {
        var all = org.apache.kafka.coordinator.transaction.TransactionState.values();
        assertThat(TransactionStatus.values()).hasSameSizeAs(all);
        for (var theirs : all) {
            var status = Objects.requireNonNull(TransactionStatus.forId(theirs.id()));
            assertThat(status).hasToString(theirs.stateName());
            assertThat(TransactionStatus.forName(theirs.stateName())).isEqualTo(status);
            assertThat(status.name()).isEqualTo(theirs.name());
            assertThat(status.isIdle()).isEqualTo(theirs.isExpirationAllowed());
        }
        assertThat(TransactionStatus.forId((byte) 8)).isNull();
        assertThat(TransactionStatus.forId((byte) -1)).isNull();
    }

    /// What comes back from a record is what was written: nothing that decides is kept in memory alone.
    @Seeds
    void statesComeBackFromTheirRecords(long seed) {
        var random = new SplittableRandom(seed);
        var status = TransactionStatus.values()[random.nextInt(6)];
        var partitions = new HashSet<TopicPartition>();
        if (status == TransactionStatus.ONGOING || status.isPrepared()) {
            for (int i = random.nextInt(5); i > 0; i--) {
                partitions.add(new TopicPartition("t" + random.nextInt(3), random.nextInt(4)));
            }
        }
        var state = new TransactionState(
                random.nextLong(1000),
                random.nextLong(1000),
                random.nextLong(-1, 1000),
                (short) random.nextInt(Short.MAX_VALUE),
                random.nextInt(1, 900_000),
                status,
                partitions,
                random.nextLong(-1, 1000),
                random.nextLong(1000),
                (short) (random.nextBoolean() ? 2 : 0));
        var record = TransactionRecords.state("x", state, 2);
        assertThat(record.valueVersion()).isEqualTo((short) 1);
        assertThat(TransactionRecords.state((TransactionLogValue) Objects.requireNonNull(record.value())))
                .isEqualTo(state);
        assertThat(TransactionRecords.state("x", state, 0).valueVersion())
                .isEqualTo((short) (state.bumpsEpochs() ? 1 : 0));
        assertThat(TransactionRecords.state("x", state, 1).valueVersion()).isEqualTo((short) 1);
    }
}
