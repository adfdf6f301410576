package io.moldau.metadata.image.snapshot;

/// A snapshot file: eight bytes of magic, then frames. A frame is
///
///     kind (1 byte)  length (4 bytes, big-endian)  CRC-32C of kind and payload (4 bytes)  payload
///
/// The first frame is a header, the last a footer, all between are batches of records that lead from the empty
/// image to
/// the snapshot's.
final class SnapshotFormat {

    /// The last byte is the version of the format.
    static final long MAGIC = 0x4D_6F_6C_64_61_75_53_01L;

    static final int HEADER = 1;
    static final int BATCH = 2;
    static final int FOOTER = 3;

    /// No frame we write is larger; a reader refuses to reserve more.
    static final int MAX_FRAME_BYTES = 16 << 20;

    private SnapshotFormat() {}
}
