package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupRecords;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupCurrentMemberAssignmentValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMemberMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMemberMetadataValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupMetadataValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupPartitionMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupPartitionMetadataValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupRegularExpressionKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupRegularExpressionValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMemberValue;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataKey;
import io.moldau.broker.coordinator.group.generated.ConsumerGroupTargetAssignmentMetadataValue;
import io.moldau.broker.coordinator.group.generated.GroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.GroupMetadataValue;
import io.moldau.broker.coordinator.group.generated.OffsetCommitKey;
import io.moldau.broker.coordinator.group.generated.OffsetCommitValue;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.runtime.RecordDecoder;
import io.moldau.wire.protocol.ByteBufferReadable;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Reads the records of `__consumer_offsets` that this release knows: committed offsets, classic groups
/// and consumer groups.
///
/// Offsets of brokers before 0.9 have a type of their own, 0, and otherwise the same layout. Further types belong to
/// share and streams groups.
public final class GroupRecordDecoder implements RecordDecoder {

    @Override
    public @Nullable CoordinatorRecord decode(ByteBuffer key, @Nullable ByteBuffer value) {
        var in = new ByteBufferReadable(key);
        short type = in.readShort();
        return switch (type) {
            case GroupRecords.LEGACY_OFFSET_COMMIT, GroupRecords.OFFSET_COMMIT ->
                RecordDecoder.decode(
                        GroupRecords.OFFSET_COMMIT, in, new OffsetCommitKey(), value, new OffsetCommitValue());
            case GroupRecords.GROUP_METADATA ->
                RecordDecoder.decode(
                        GroupRecords.GROUP_METADATA, in, new GroupMetadataKey(), value, new GroupMetadataValue());
            case ConsumerGroupRecords.GROUP_METADATA ->
                RecordDecoder.decode(type, in, new ConsumerGroupMetadataKey(), value, new ConsumerGroupMetadataValue());
            case ConsumerGroupRecords.PARTITION_METADATA ->
                RecordDecoder.decode(
                        type,
                        in,
                        new ConsumerGroupPartitionMetadataKey(),
                        value,
                        new ConsumerGroupPartitionMetadataValue());
            case ConsumerGroupRecords.MEMBER_METADATA ->
                RecordDecoder.decode(
                        type, in, new ConsumerGroupMemberMetadataKey(), value, new ConsumerGroupMemberMetadataValue());
            case ConsumerGroupRecords.TARGET_METADATA ->
                RecordDecoder.decode(
                        type,
                        in,
                        new ConsumerGroupTargetAssignmentMetadataKey(),
                        value,
                        new ConsumerGroupTargetAssignmentMetadataValue());
            case ConsumerGroupRecords.TARGET_MEMBER ->
                RecordDecoder.decode(
                        type,
                        in,
                        new ConsumerGroupTargetAssignmentMemberKey(),
                        value,
                        new ConsumerGroupTargetAssignmentMemberValue());
            case ConsumerGroupRecords.CURRENT_ASSIGNMENT ->
                RecordDecoder.decode(
                        type,
                        in,
                        new ConsumerGroupCurrentMemberAssignmentKey(),
                        value,
                        new ConsumerGroupCurrentMemberAssignmentValue());
            case ConsumerGroupRecords.REGEX ->
                RecordDecoder.decode(
                        type,
                        in,
                        new ConsumerGroupRegularExpressionKey(),
                        value,
                        new ConsumerGroupRegularExpressionValue());
            default -> null;
        };
    }
}
