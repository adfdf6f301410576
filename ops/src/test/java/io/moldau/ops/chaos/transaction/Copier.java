package io.moldau.ops.chaos.transaction;

/// A client that reads records, and writes them and how far it has read in one transaction. From its construction on.
interface Copier extends AutoCloseable {

    /// Begins no further transaction, and waits until the last one has ended.
    void finish() throws Exception;

    @Override
    void close();
}
