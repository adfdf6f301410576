package io.moldau.ops.cli;

import io.moldau.common.time.Time;
import java.io.PrintWriter;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;

/// What commands touch the outside world through.
///
/// @param out for results, and nothing but results: scripts read it
/// @param time the clock by which ages are told
/// @param clusters makes the connection to a cluster from the client's properties
record ToolContext(PrintWriter out, Time time, Function<Properties, Cluster> clusters) {

    /// Prints a value in the one form or the other.
    void print(boolean json, Map<String, ?> value, String text) {
        out.println(json ? Json.write(value) : text);
        out.flush();
    }
}
