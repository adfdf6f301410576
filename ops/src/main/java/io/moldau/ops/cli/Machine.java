package io.moldau.ops.cli;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/// The machine a command runs on, and what is reached from it without a Kafka client.
interface Machine {

    /// Why nobody takes a connection there; empty if somebody does.
    String dial(String host, int port);

    /// Where a broker says that brokers are; empty if it does not say so to everybody, or is not there.
    List<Advertised> advertised(String host, int port);

    record Advertised(int id, String host, int port) {}

    /// @param status 0 if there was no answer, and `body` says why
    /// @param headers by their names in small letters
    record Answer(int status, String body, Map<String, String> headers) {}

    Answer get(URI uri);

    /// The variables of this process.
    Map<String, String> environment();

    /// The process that listens at a port of this machine, as far as the system tells.
    OptionalLong listener(int port);

    boolean isAlive(long pid);

    /// Asks a process to stop (SIGTERM).
    ///
    /// @return false if it must not be asked, or is not there
    boolean terminate(long pid);

    /// @throws ToolException if somebody interrupts it
    void pause(Duration time);

    /// Does this when the person ends the command early, until it is closed.
    Stopping onStop(Runnable action);

    /// See [#onStop].
    interface Stopping extends AutoCloseable {
        @Override
        void close();
    }
}
