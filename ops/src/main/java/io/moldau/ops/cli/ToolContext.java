package io.moldau.ops.cli;

import io.moldau.common.time.Time;
import io.moldau.ops.json.Json;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;

/// What commands touch the outside world through.
///
/// @param out for results, and nothing but results: scripts read it
/// @param notes for progress; people read it
/// @param in what is typed or piped in
/// @param time the clock by which ages are told
/// @param clusters makes the connection to a cluster from the client's properties
/// @param clients makes producers and consumers
/// @param machine the machine the command runs on
record ToolContext(
        PrintWriter out,
        PrintWriter notes,
        InputStream in,
        Time time,
        Function<Properties, Cluster> clusters,
        Clients clients,
        Machine machine) {

    /// Prints a value in the one form or the other.
    void print(boolean json, Map<String, ?> value, String text) {
        out.println(json ? Json.indented(value) : text);
        out.flush();
    }

    /// Says how far something is.
    void note(String text) {
        notes.println(text);
        notes.flush();
    }
}
