package io.moldau.broker.coordinator.transaction;

import io.moldau.broker.coordinator.runtime.CoordinatorRecord;
import io.moldau.broker.coordinator.runtime.RecordDecoder;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogKey;
import io.moldau.broker.coordinator.transaction.generated.TransactionLogValue;
import io.moldau.wire.protocol.ByteBufferReadable;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Reads the records of `__transaction_state`.
public final class TransactionRecordDecoder implements RecordDecoder {

    @Override
    public @Nullable CoordinatorRecord decode(ByteBuffer key, @Nullable ByteBuffer value) {
        var in = new ByteBufferReadable(key);
        short type = in.readShort();
        return type == TransactionRecords.TRANSACTION_LOG
                ? RecordDecoder.decode(type, in, new TransactionLogKey(), value, new TransactionLogValue())
                : null;
    }
}
