package io.moldau.log.append;

/// Who hands batches to the leader's log, which decides what is checked.
public enum AppendOrigin {
    /// A produce request: nothing in it is trusted.
    CLIENT,
    /// A coordinator of this node writing to its internal topic.
    COORDINATOR,
    /// The transaction coordinator's commit and abort markers.
    TRANSACTION_MARKER;

    /// Whether the batch comes from outside the node.
    public boolean isClient() {
        return this == CLIENT;
    }
}
