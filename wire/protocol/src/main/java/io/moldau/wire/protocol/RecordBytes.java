package io.moldau.wire.protocol;

/// Record batches as bytes, wherever they live: a slice of a network buffer, a heap array, a region of a segment file.
///
/// The protocol layer moves them and never looks inside.
public interface RecordBytes {

    /// The number of bytes.
    int sizeInBytes();
}
