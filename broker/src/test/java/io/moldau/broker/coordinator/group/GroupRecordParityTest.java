package io.moldau.broker.coordinator.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupRecords;
import io.moldau.broker.coordinator.group.consumer.CurrentAssignment;
import io.moldau.broker.coordinator.group.consumer.MemberMetadata;
import io.moldau.broker.coordinator.group.consumer.MemberState;
import io.moldau.broker.coordinator.group.consumer.PartitionEpochs;
import io.moldau.broker.coordinator.group.consumer.ResolvedRegex;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupPartitionMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupPartitionMetadataValue;
import io.moldau.broker.coordinator.group.generated.GroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.GroupMetadataValue;
import io.moldau.broker.coordinator.group.generated.OffsetCommitKey;
import io.moldau.broker.coordinator.group.generated.OffsetCommitValue;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.common.Uuid;
import io.moldau.testing.Seeds;
import io.moldau.wire.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.apache.kafka.coordinator.group.GroupCoordinatorRecordSerde;
import org.junit.jupiter.api.Test;

/// Records of `__consumer_offsets`: the same bytes as the reference's, both ways, in every version.
class GroupRecordParityTest {

    private final GroupCoordinatorRecordSerde reference = new GroupCoordinatorRecordSerde();
    private final GroupRecordDecoder ours = new GroupRecordDecoder();

    @Seeds
    void offsets(long seed) {
        var random = new SplittableRandom(seed);
        for (int version = 0; version <= 4; version++) {
            var text = text(random);
            long expiry = version == 1 ? random.nextLong() : -1;
            int epoch = version >= 3 ? random.nextInt() : -1;
            var id = version >= 4 && random.nextBoolean() ? Uuid.random(random) : Uuid.ZERO;
            check(CoordinatorRecord.of(
                    1,
                    new OffsetCommitKey().setGroup(text).setTopic(text(random)).setPartition(7),
                    new OffsetCommitValue()
                            .setOffset(random.nextLong())
                            .setMetadata(text(random))
                            .setCommitTimestamp(random.nextLong())
                            .setExpireTimestamp(expiry)
                            .setLeaderEpoch(epoch)
                            .setTopicId(id),
                    version));
        }
    }

    @Seeds
    void groups(long seed) {
        var random = new SplittableRandom(seed);
        for (int version = 0; version <= 4; version++) {
            var value = new GroupMetadataValue()
                    .setProtocolType(text(random))
                    .setGeneration(random.nextInt())
                    .setProtocol(random.nextBoolean() ? text(random) : null)
                    .setLeader(random.nextBoolean() ? text(random) : null)
                    .setCurrentStateTimestamp(version >= 2 ? random.nextLong() : -1)
                    .setMembers(new ArrayList<>());
            for (int i = random.nextInt(4); i > 0; i--) {
                value.members()
                        .add(new GroupMetadataValue.MemberMetadata()
                                .setMemberId(text(random))
                                .setGroupInstanceId(version >= 3 && random.nextBoolean() ? text(random) : null)
                                .setClientId(text(random))
                                .setClientHost(text(random))
                                .setRebalanceTimeout(version >= 1 ? random.nextInt() : -1)
                                .setSessionTimeout(random.nextInt())
                                .setSubscription(bytes(random))
                                .setAssignment(bytes(random)));
            }
            check(CoordinatorRecord.of(2, new GroupMetadataKey().setGroup(text(random)), value, version));
        }
    }

    @Test
    void tombstones() {
        check(CoordinatorRecord.tombstone(2, new GroupMetadataKey().setGroup("g")));
        check(CoordinatorRecord.tombstone(
                1, new OffsetCommitKey().setGroup("g").setTopic("t").setPartition(1)));
    }

    @Seeds
    void consumerGroups(long seed) {
        var random = new SplittableRandom(seed);
        var group = text(random);
        check(ConsumerGroupRecords.epoch(group, random.nextInt(), random.nextLong()));
        check(ConsumerGroupRecords.epoch(group, random.nextInt(), 0));
        check(ConsumerGroupRecords.targetEpoch(group, random.nextInt(), random.nextInt(2) * random.nextLong()));
        check(ConsumerGroupRecords.target(group, text(random), Map.of(Uuid.random(random), Set.of(3, 1, 2))));
        var partitions = new PartitionEpochs.Builder();
        for (int i = random.nextInt(4); i > 0; i--) {
            partitions.add(Uuid.random(random), random.nextInt(9), random.nextInt());
        }
        check(ConsumerGroupRecords.current(
                group,
                text(random),
                new CurrentAssignment(
                        random.nextInt(),
                        random.nextInt(),
                        MemberState.UNREVOKED_PARTITIONS,
                        partitions.build(),
                        PartitionEpochs.of(Map.of(Uuid.random(random), Set.of(1)), 4))));
        check(ConsumerGroupRecords.member(
                group,
                text(random),
                new MemberMetadata(
                        random.nextBoolean() ? text(random) : null,
                        random.nextBoolean() ? text(random) : null,
                        text(random),
                        text(random),
                        List.of(text(random)),
                        random.nextBoolean() ? text(random) : null,
                        random.nextInt(),
                        random.nextBoolean() ? text(random) : null,
                        random.nextBoolean()
                                ? new MemberMetadata.Classic(
                                        random.nextInt(),
                                        List.of(new JoinGroupRequestProtocol()
                                                .setName(text(random))
                                                .setMetadata(bytes(random))))
                                : null)));
        check(ConsumerGroupRecords.regex(
                group,
                text(random),
                new ResolvedRegex(new TreeSet<>(Set.of("a", "b")), random.nextLong(), random.nextLong())));
        check(CoordinatorRecord.of(
                4,
                new ConsumerGroupPartitionMetadataKey().setGroupId(group),
                new ConsumerGroupPartitionMetadataValue()
                        .setTopics(List.of(new ConsumerGroupPartitionMetadataValue.TopicMetadata()
                                .setTopicId(Uuid.random(random))
                                .setTopicName(text(random))
                                .setNumPartitions(3)
                                .setPartitionMetadata(
                                        List.of(new ConsumerGroupPartitionMetadataValue.PartitionMetadata()
                                                .setPartition(1)
                                                .setRacks(List.of(text(random))))))),
                0));
    }

    @Test
    void tombstonesOfConsumerGroups() {
        check(ConsumerGroupRecords.epochTombstone("g"));
        check(ConsumerGroupRecords.partitionMetadataTombstone("g"));
        check(ConsumerGroupRecords.memberTombstone("g", "m"));
        check(ConsumerGroupRecords.targetEpochTombstone("g"));
        check(ConsumerGroupRecords.targetTombstone("g", "m"));
        check(ConsumerGroupRecords.currentTombstone("g", "m"));
        check(ConsumerGroupRecords.regexTombstone("g", "a.*"));
    }

    @Test
    void theRecordTypesOfShareAndStreamsGroupsAreSkipped() {
        for (short type = 9; type < 30; type++) {
            if (type == ConsumerGroupRecords.REGEX) {
                continue;
            }
            assertThat(ours.decode(ByteBuffer.allocate(8).putShort(type).rewind(), ByteBuffer.allocate(8)))
                    .isNull();
        }
    }

    @Test
    void offsetsOfOldBrokersAreRead() {
        var key = ByteBuffer.wrap(CoordinatorRecord.tombstone(
                        0, new OffsetCommitKey().setGroup("g").setTopic("t").setPartition(3))
                .encodedKey());
        var record = Objects.requireNonNull(ours.decode(key, null));
        assertThat(record.type()).isEqualTo((short) 1);
        assertThat(record.key())
                .isEqualTo(new OffsetCommitKey().setGroup("g").setTopic("t").setPartition(3));
    }

    /// Our bytes are read by the reference and written by it as the same bytes; these are read by us as the same
    /// record.
    private void check(CoordinatorRecord record) {
        var key = record.encodedKey();
        var value = record.encodedValue();
        var theirs = reference.deserialize(ByteBuffer.wrap(key), value == null ? null : ByteBuffer.wrap(value));
        assertThat(reference.serializeKey(theirs)).isEqualTo(key);
        assertThat(reference.serializeValue(theirs)).isEqualTo(value);
        var back = Objects.requireNonNull(
                ours.decode(ByteBuffer.wrap(key), value == null ? null : ByteBuffer.wrap(value)));
        assertThat(back).isEqualTo(record);
    }

    private static String text(RandomGenerator random) {
        var text = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            text.append((char) random.nextInt('a', 0x600));
        }
        return text.toString();
    }

    private static byte[] bytes(RandomGenerator random) {
        var bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return bytes;
    }
}
