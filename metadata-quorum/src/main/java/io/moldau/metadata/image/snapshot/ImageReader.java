package io.moldau.metadata.image.snapshot;

import com.google.protobuf.InvalidProtocolBufferException;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.MetadataProvenance;
import io.moldau.metadata.message.SnapshotFooter;
import io.moldau.metadata.message.SnapshotHeader;
import io.moldau.metadata.record.MetadataBatch;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32C;

/// Reads what [ImageWriter] wrote.
public final class ImageReader {

    /// A snapshot's image and where it stands in the log; the image's provenance says the same.
    public record Loaded(MetadataImage image, long index, int term) {}

    private ImageReader() {}

    /// @throws CorruptSnapshotException if the snapshot is damaged, incomplete, or of a newer release
    public static Loaded read(InputStream stream) throws IOException {
        var in = new DataInputStream(stream);
        try {
            long magic = in.readLong();
            if (magic != SnapshotFormat.MAGIC) {
                throw new CorruptSnapshotException(
                        (magic >>> 8) == (SnapshotFormat.MAGIC >>> 8)
                                ? "the snapshot has format version " + (magic & 0xFF) + ", this release reads version "
                                        + (SnapshotFormat.MAGIC & 0xFF)
                                : "the file is not a metadata snapshot");
            }
            SnapshotHeader header = SnapshotHeader.parseFrom(frame(in, in.readByte(), SnapshotFormat.HEADER));
            var delta = new MetadataDelta(MetadataImage.EMPTY);
            long records = 0;
            while (true) {
                int kind = in.readByte();
                if (kind == SnapshotFormat.FOOTER) {
                    long expected =
                            SnapshotFooter.parseFrom(frame(in, kind, kind)).getRecordCount();
                    if (expected != records) {
                        throw new CorruptSnapshotException(
                                "the snapshot holds " + records + " records but should hold " + expected);
                    }
                    break;
                }
                MetadataBatch batch = MetadataBatch.parseFrom(frame(in, kind, SnapshotFormat.BATCH));
                records += batch.getRecordsCount();
                delta.replay(batch);
            }
            var provenance = new MetadataProvenance(header.getIndex(), header.getTerm(), header.getTimestampMs());
            return new Loaded(delta.apply(provenance), header.getIndex(), header.getTerm());
        } catch (EOFException e) {
            throw new CorruptSnapshotException("the snapshot ends before its footer");
        } catch (InvalidProtocolBufferException e) {
            throw new CorruptSnapshotException("a frame of the snapshot does not parse: " + e.getMessage());
        }
    }

    private static byte[] frame(DataInputStream in, int kind, int expectedKind) throws IOException {
        int length = in.readInt();
        int crc = in.readInt();
        if (kind != expectedKind || length < 0 || length > SnapshotFormat.MAX_FRAME_BYTES) {
            throw new CorruptSnapshotException(
                    "a frame of kind " + kind + " and " + length + " bytes where one of kind " + expectedKind
                            + " and at most " + SnapshotFormat.MAX_FRAME_BYTES + " bytes is due");
        }
        byte[] payload = in.readNBytes(length);
        if (payload.length < length) {
            throw new EOFException();
        }
        var computed = new CRC32C();
        computed.update(kind);
        computed.update(payload);
        if ((int) computed.getValue() != crc) {
            throw new CorruptSnapshotException("a frame of the snapshot fails its checksum");
        }
        return payload;
    }
}
