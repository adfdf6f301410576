package io.moldau.log.append;

import io.moldau.common.Errors;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordCursor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides whether a batch may be appended by a leader.
///
/// Reads the header and the checksum, and for a batch without compression that the records fill it exactly. Every
/// record is looked at only where a rule needs that: on a compacted topic (keys), with a bound on old
/// timestamps, and with full validation. So a compressed batch is not decompressed on an ordinary topic; this is
/// a deliberate difference from Kafka, which decompresses every one.
///
/// Pure; reusable, and owned by whoever holds the log's append lock.
public final class BatchValidator {

    private static final int RECORDS_NAMED = 3;

    private final RecordCursor cursor = new RecordCursor();

    /// Why the batch is refused, null if it is not.
    ///
    /// @param partition for the message
    public @Nullable Rejection validate(
            RecordBatch batch, AppendRules rules, AppendOrigin origin, long nowMs, Object partition) {
        int size = batch.sizeInBytes();
        if (size > rules.maxMessageBytes()) {
            return new Rejection(
                    Errors.MESSAGE_TOO_LARGE,
                    "A batch of " + size + " bytes for " + partition + " exceeds max.message.bytes, which is "
                            + rules.maxMessageBytes() + ": raise it or send smaller batches");
        }
        if (!batch.isCrcValid()) {
            return new Rejection(
                    Errors.CORRUPT_MESSAGE,
                    "A batch for " + partition + " has checksum " + batch.crc() + ", its bytes have "
                            + batch.computeCrc() + ": it was damaged on the way");
        }
        if (batch.recordCount() <= 0 || batch.lastOffsetDelta() != batch.recordCount() - 1) {
            return invalid("A batch for " + partition + " says it has " + batch.recordCount()
                    + " records with offsets up to " + batch.lastOffsetDelta() + " behind its first");
        }
        if (origin.isClient()) {
            if (batch.baseOffset() != 0) {
                return invalid(
                        "A batch for " + partition + " has base offset " + batch.baseOffset() + "; a producer sends 0");
            }
            if (batch.isControl()) {
                return invalid("Clients may not write control records, as one tried to " + partition);
            }
            if (batch.hasProducerId() && (batch.baseSequence() < 0 || batch.producerEpoch() < 0)) {
                return invalid("A batch for " + partition + " has producer id " + batch.producerId() + " but sequence "
                        + batch.baseSequence() + " and epoch " + batch.producerEpoch());
            }
        }
        if (batch.isTransactional() && !batch.hasProducerId()) {
            return invalid("A transactional batch for " + partition + " has no producer id");
        }
        try {
            boolean timesSuspect = rules.boundsNewTimestamps() && isAhead(batch, rules, nowMs);
            if (timesSuspect || (rules.needsRecords() && !batch.isControl())) {
                return validateRecords(batch, rules, nowMs, partition);
            }
            if (batch.compression() == Compression.NONE) {
                checkRecordsFillBatch(batch);
            }
            return null;
        } catch (MalformedMessageException e) {
            return invalid("A batch for " + partition + " holds records that cannot be read: " + e.getMessage());
        }
    }

    private static Rejection invalid(String message) {
        return new Rejection(Errors.INVALID_RECORD, message);
    }

    private static boolean isAhead(RecordBatch batch, AppendRules rules, long nowMs) {
        long latest = saturatedAdd(nowMs, rules.timestampAfterMaxMs());
        return batch.maxTimestamp() > latest || batch.baseTimestamp() > latest;
    }

    private static long saturatedAdd(long a, long b) {
        long sum = a + b;
        return b > 0 && sum < a ? Long.MAX_VALUE : sum;
    }

    private @Nullable Rejection validateRecords(RecordBatch batch, AppendRules rules, long nowMs, Object partition) {
        long earliest = rules.boundsOldTimestamps() ? nowMs - rules.timestampBeforeMaxMs() : Long.MIN_VALUE;
        long latest = rules.boundsNewTimestamps() ? saturatedAdd(nowMs, rules.timestampAfterMaxMs()) : Long.MAX_VALUE;
        List<Rejection.RecordError> errors = new ArrayList<>(0);
        boolean timestampAtFault = false;
        cursor.open(batch, rules.limits());
        try {
            while (cursor.next()) {
                if (cursor.offsetDelta() != cursor.index()) {
                    return invalid("Record " + cursor.index() + " of a batch for " + partition + " has offset delta "
                            + cursor.offsetDelta());
                }
                if (rules.compact() && !cursor.hasKey()) {
                    errors.add(new Rejection.RecordError(
                            cursor.index(),
                            "Record " + cursor.index() + " has no key, and the topic of " + partition
                                    + " is compacted: every record needs one"));
                }
                long timestamp = cursor.timestamp();
                if (timestamp != RecordBatch.NO_TIMESTAMP && (timestamp < earliest || timestamp > latest)) {
                    timestampAtFault = true;
                    errors.add(new Rejection.RecordError(
                            cursor.index(),
                            "Record " + cursor.index() + " has timestamp " + timestamp + ", allowed is "
                                    + (earliest == Long.MIN_VALUE ? "anything" : earliest) + " to " + latest));
                }
            }
        } finally {
            cursor.close();
        }
        if (errors.isEmpty()) {
            return null;
        }
        var named = new StringBuilder();
        for (var error : errors.subList(0, Math.min(RECORDS_NAMED, errors.size()))) {
            named.append("; ").append(error.message());
        }
        return new Rejection(
                timestampAtFault ? Errors.INVALID_TIMESTAMP : Errors.INVALID_RECORD,
                errors.size() + " records of a batch for " + partition + " are refused" + named,
                errors);
    }

    /// Hops from record to record by their lengths.
    private static void checkRecordsFillBatch(RecordBatch batch) {
        ByteBuffer buffer = batch.buffer();
        int at = batch.position() + RecordBatch.RECORDS_OFFSET;
        int end = batch.position() + batch.sizeInBytes();
        int count = batch.recordCount();
        for (int i = 0; i < count; i++) {
            int value = 0;
            int shift = 0;
            byte b;
            do {
                if (at >= end || shift > 28) {
                    throw new MalformedMessageException("record " + i + " has no length");
                }
                b = buffer.get(at++);
                value |= (b & 0x7F) << shift;
                shift += 7;
            } while (b < 0);
            int length = (value >>> 1) ^ -(value & 1);
            if (length < 0 || length > end - at) {
                throw new MalformedMessageException(
                        "record " + i + " says it has " + length + " bytes, " + (end - at) + " are left");
            }
            at += length;
        }
        if (at != end) {
            throw new MalformedMessageException((end - at) + " bytes are left after " + count + " records");
        }
    }
}
