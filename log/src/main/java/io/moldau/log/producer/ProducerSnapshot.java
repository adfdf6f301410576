package io.moldau.log.producer;

import io.moldau.common.Uuid;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/// The bytes of a `.snapshot` file, version 1 of Kafka's format, and behind it what that format has no room for:
///
/// ```
/// version i16 = 1 | crc32c u32 of all that follows | producers i32 | each producer:
///   producerId i64, producerEpoch i16, lastSequence i32, lastOffset i64, offsetDelta i32, timestamp i64,
///   coordinatorEpoch i32, currentTxnFirstOffset i64
/// "MLDU" | producers i32 | each: producerId i64, batches i8, each, oldest first, without the newest:
///   lastSequence i32, lastOffset i64, offsetDelta i32, timestamp i64
/// topic id 16 bytes | partition i32 | offset i64 | "MLDO"
/// ```
///
/// Kafka keeps only the newest batch of each producer over a restart, and ignores bytes behind the last
/// producer, so the second part stays out of its way and under the same checksum. The last one says whose states these
/// are, since nothing else would tell those of another partition.
public final class ProducerSnapshot {

    private static final short VERSION = 1;
    private static final int CRC_OFFSET = 2;
    private static final int ENTRIES_OFFSET = 6;
    private static final int ENTRY_SIZE = 8 + 2 + 4 + 8 + 4 + 8 + 4 + 8;
    private static final int EARLIER_MAGIC = 0x4D4C4455;
    private static final int OWNER_MAGIC = 0x4D4C444F;
    private static final int OWNER_SIZE = 16 + 4 + 8 + 4;
    private static final int EARLIER_BATCH_SIZE = 4 + 8 + 4 + 8;

    private ProducerSnapshot() {}

    /// Whose states a snapshot holds.
    ///
    /// @param topicId [Uuid#ZERO] if it is not known
    /// @param offset up to where the log had been written
    public record Owner(Uuid topicId, int partition, long offset) {

        /// Whether both can be the same log.
        public boolean isSameLog(Owner other) {
            return partition == other.partition
                    && (topicId.equals(other.topicId) || topicId.equals(Uuid.ZERO) || other.topicId.equals(Uuid.ZERO));
        }
    }

    /// Whose snapshot it is; nothing if it does not say so, as Kafka's do not.
    public static Optional<Owner> owner(byte[] content) {
        int at = content.length - OWNER_SIZE;
        var buffer = ByteBuffer.wrap(content);
        return at >= ENTRIES_OFFSET + 4 && buffer.getInt(content.length - 4) == OWNER_MAGIC
                ? Optional.of(new Owner(
                        new Uuid(buffer.getLong(at), buffer.getLong(at + 8)),
                        buffer.getInt(at + 16),
                        buffer.getLong(at + 20)))
                : Optional.empty();
    }

    public static byte[] format(ProducerStates states, Owner owner) {
        int earlierProducers = 0;
        int earlierBatches = 0;
        for (var entry : states.entries()) {
            if (entry.batchCount() > 1) {
                earlierProducers++;
                earlierBatches += entry.batchCount() - 1;
            }
        }
        int size = ENTRIES_OFFSET + 4 + ENTRY_SIZE * states.size() + OWNER_SIZE;
        if (earlierProducers > 0) {
            size += 8 + earlierProducers * 9 + earlierBatches * EARLIER_BATCH_SIZE;
        }
        var buffer = ByteBuffer.allocate(size);
        buffer.putShort(VERSION).putInt(0).putInt(states.size());
        for (var entry : states.entries()) {
            int newest = entry.batchCount() - 1;
            buffer.putLong(entry.producerId).putShort(entry.producerEpoch);
            buffer.putInt(newest < 0 ? RecordBatch.NO_SEQUENCE : entry.lastSequence(newest));
            buffer.putLong(newest < 0 ? -1L : entry.lastOffset(newest));
            buffer.putInt(newest < 0 ? 0 : entry.offsetDelta(newest));
            buffer.putLong(entry.lastTimestamp).putInt(entry.coordinatorEpoch).putLong(entry.currentTxnFirstOffset);
        }
        if (earlierProducers > 0) {
            buffer.putInt(EARLIER_MAGIC).putInt(earlierProducers);
            for (var entry : states.entries()) {
                int earlier = entry.batchCount() - 1;
                if (earlier > 0) {
                    buffer.putLong(entry.producerId).put((byte) earlier);
                    for (int i = 0; i < earlier; i++) {
                        buffer.putInt(entry.lastSequence(i)).putLong(entry.lastOffset(i));
                        buffer.putInt(entry.offsetDelta(i)).putLong(entry.timestamp(i));
                    }
                }
            }
        }
        buffer.putLong(owner.topicId.mostSignificantBits()).putLong(owner.topicId.leastSignificantBits());
        buffer.putInt(owner.partition).putLong(owner.offset).putInt(OWNER_MAGIC);
        buffer.putInt(CRC_OFFSET, (int) crc(buffer.array()));
        return buffer.array();
    }

    /// A producer as Kafka's part of the file has it: with its newest batch.
    ///
    /// @param lastOffset -1 if it has written no data
    /// @param currentTransactionFirstOffset -1 if no transaction is open
    public record Entry(
            long producerId,
            short producerEpoch,
            int lastSequence,
            long lastOffset,
            int offsetDelta,
            long lastTimestamp,
            int coordinatorEpoch,
            long currentTransactionFirstOffset) {}

    /// What stands in a snapshot; nothing if the bytes are damaged.
    public static Optional<List<Entry>> entries(byte[] content) {
        var buffer = ByteBuffer.wrap(content);
        if (content.length < ENTRIES_OFFSET + 4
                || buffer.getShort(0) != VERSION
                || (buffer.getInt(CRC_OFFSET) & 0xFFFF_FFFFL) != crc(content)) {
            return Optional.empty();
        }
        int count = buffer.position(ENTRIES_OFFSET).getInt();
        if (count < 0 || (long) count * ENTRY_SIZE > buffer.remaining()) {
            return Optional.empty();
        }
        var entries = new ArrayList<Entry>(count);
        for (int i = 0; i < count; i++) {
            entries.add(new Entry(
                    buffer.getLong(),
                    buffer.getShort(),
                    buffer.getInt(),
                    buffer.getLong(),
                    buffer.getInt(),
                    buffer.getLong(),
                    buffer.getInt(),
                    buffer.getLong()));
        }
        return Optional.of(entries);
    }

    /// The states a snapshot holds, without producers that have expired meanwhile; nothing if the bytes are
    /// damaged.
    public static Optional<ProducerStates> parse(byte[] content, long nowMs, long expirationMs) {
        return entries(content).map(found -> states(found, content, nowMs, expirationMs));
    }

    private static ProducerStates states(List<Entry> found, byte[] content, long nowMs, long expirationMs) {
        int count = found.size();
        var entries = new ProducerEntry[count];
        for (int i = 0; i < count; i++) {
            var from = found.get(i);
            var entry = new ProducerEntry(from.producerId());
            entry.producerEpoch = from.producerEpoch();
            entry.lastTimestamp = from.lastTimestamp();
            entry.coordinatorEpoch = from.coordinatorEpoch();
            entry.currentTxnFirstOffset = from.currentTransactionFirstOffset();
            entries[i] = entry;
        }
        var buffer = ByteBuffer.wrap(content).position(ENTRIES_OFFSET + 4 + count * ENTRY_SIZE);
        if (buffer.remaining() >= 8 && buffer.getInt(buffer.position()) == EARLIER_MAGIC) {
            readEarlierBatches(buffer, entries);
        }
        var states = new ProducerStates();
        for (int i = 0; i < count; i++) {
            var entry = entries[i];
            var newest = found.get(i);
            if (newest.lastOffset() >= 0) {
                entry.addBatch(
                        newest.lastSequence(), newest.lastOffset(), newest.offsetDelta(), newest.lastTimestamp());
            }
            if (!ProducerStates.expired(entry, nowMs, expirationMs)) {
                states.restore(entry);
            }
        }
        return states;
    }

    private static void readEarlierBatches(ByteBuffer buffer, ProducerEntry[] entries) {
        var byId = new java.util.HashMap<Long, ProducerEntry>();
        for (var entry : entries) {
            byId.put(entry.producerId, entry);
        }
        buffer.getInt();
        int producers = buffer.getInt();
        for (int i = 0; i < producers && buffer.remaining() >= 9; i++) {
            var entry = byId.get(buffer.getLong());
            int batches = buffer.get();
            for (int b = 0; b < batches && buffer.remaining() >= EARLIER_BATCH_SIZE; b++) {
                int lastSequence = buffer.getInt();
                long lastOffset = buffer.getLong();
                int offsetDelta = buffer.getInt();
                long timestamp = buffer.getLong();
                if (entry != null) {
                    entry.addBatch(lastSequence, lastOffset, offsetDelta, timestamp);
                }
            }
        }
    }

    private static long crc(byte[] content) {
        var crc = new CRC32C();
        crc.update(content, ENTRIES_OFFSET, content.length - ENTRIES_OFFSET);
        return crc.getValue();
    }
}
