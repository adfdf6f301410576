package io.moldau.wire.protocol;

/// A generated protocol message: a mutable value that reads and writes itself in every version its schema allows.
///
/// Not thread-safe. Owned by whoever decoded or built it. A message that holds [RecordBytes] does not release them;
/// the owner of the request does.
public interface Message {

    /// The API key the message belongs to, or -1 for headers and records of internal topics.
    short apiKey();

    short lowestSupportedVersion();

    short highestSupportedVersion();

    /// Replaces every field by what the input holds in the given version; fields the version lacks get their default.
    ///
    /// @throws MalformedMessageException if the bytes are not a message of that version
    void read(Readable in, short version);

    /// Writes the fields of the given version.
    ///
    /// @throws UnsupportedFieldException if a field that the version lacks, and must not be dropped, is set
    void write(Writable out, short version);

    /// Names every error code in this message that is not zero, at whatever depth, so that whoever counts errors needs
    /// to know no single API.
    default void errorCodes(ErrorCodes into) {}
}
