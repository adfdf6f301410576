package io.moldau.metadata.quorum.ratis;

import io.moldau.common.InvariantViolation;
import io.moldau.metadata.record.MetadataBatch;
import java.nio.ByteBuffer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/// A batch as the data of a Raft entry: one byte of format version, then the protobuf message. Ratis checksums
/// entries.
final class EntryFormat {

    private static final byte VERSION = 1;

    private EntryFormat() {}

    static ByteString encode(MetadataBatch batch) {
        var bytes = new byte[1 + batch.getSerializedSize()];
        bytes[0] = VERSION;
        var out = com.google.protobuf.CodedOutputStream.newInstance(bytes, 1, bytes.length - 1);
        try {
            batch.writeTo(out);
            out.checkNoSpaceLeft();
        } catch (java.io.IOException e) {
            throw new InvariantViolation("a batch does not fit the size it gave: " + e.getMessage());
        }
        return UnsafeByteOperations.unsafeWrap(bytes);
    }

    /// @throws InvariantViolation if the entry was written by a newer release or is not one of ours
    static MetadataBatch decode(ByteString data) {
        ByteBuffer bytes = data.asReadOnlyByteBuffer();
        if (!bytes.hasRemaining() || bytes.get(bytes.position()) != VERSION) {
            throw new InvariantViolation("a metadata entry of format version "
                    + (bytes.hasRemaining() ? bytes.get(bytes.position()) : "(empty)") + ", this release reads version "
                    + VERSION + ": the log was written by a newer release, run that one");
        }
        bytes.position(bytes.position() + 1);
        try {
            return MetadataBatch.parseFrom(bytes);
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new InvariantViolation("a metadata entry with a good checksum does not parse: " + e.getMessage());
        }
    }
}
