package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.generated.GroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.GroupMetadataValue;
import io.moldau.broker.coordinator.group.generated.OffsetCommitKey;
import io.moldau.broker.coordinator.group.generated.OffsetCommitValue;
import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.runtime.RecordDecoder;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Message;
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
                decode(GroupRecords.OFFSET_COMMIT, in, new OffsetCommitKey(), value, new OffsetCommitValue());
            case GroupRecords.GROUP_METADATA ->
                decode(GroupRecords.GROUP_METADATA, in, new GroupMetadataKey(), value, new GroupMetadataValue());
            default -> null;
        };
    }

    private static CoordinatorRecord decode(
            short type, ByteBufferReadable in, Message key, @Nullable ByteBuffer value, Message emptyValue) {
        key.read(in, (short) 0);
        if (value == null) {
            return CoordinatorRecord.tombstone(type, key);
        }
        var valueIn = new ByteBufferReadable(value);
        short version = valueIn.readShort();
        if (version < emptyValue.lowestSupportedVersion() || version > emptyValue.highestSupportedVersion()) {
            throw new MalformedMessageException("a record of type " + type + " has a value of version " + version
                    + "; this release reads up to " + emptyValue.highestSupportedVersion());
        }
        emptyValue.read(valueIn, version);
        return new CoordinatorRecord(type, key, emptyValue, version);
    }
}
