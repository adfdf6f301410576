package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.generated.GroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.GroupMetadataValue;
import io.moldau.broker.coordinator.group.generated.OffsetCommitKey;
import io.moldau.broker.coordinator.group.generated.OffsetCommitValue;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.runtime.RecordDecoder;
import io.moldau.wire.protocol.ByteBufferReadable;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Reads the records of `__consumer_offsets` that this release knows: committed offsets and classic groups.
///
/// Offsets of brokers before 0.9 have a type of their own, 0, and otherwise the same layout. The types from 3 on belong
/// to the consumer, share and streams groups of newer protocols.
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
            default -> null;
        };
    }
}
