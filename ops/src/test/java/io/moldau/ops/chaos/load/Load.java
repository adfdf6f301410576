package io.moldau.ops.chaos.load;

/// A client that sends at a steady rate and writes down what it is told, from its construction on.
public interface Load extends AutoCloseable {

    /// Sends nothing more, and waits until all that was sent is acknowledged or given up.
    void finish() throws Exception;

    /// Ends it at once; what waits stays undecided.
    @Override
    void close();
}
