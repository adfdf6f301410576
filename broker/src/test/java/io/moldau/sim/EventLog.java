package io.moldau.sim;

import java.util.ArrayDeque;
import java.util.Formatter;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One line for each event, and a hash over all of them. The lines are only made for somebody who reads them; the hash
/// always is.
///
/// The columns: simulated milliseconds, where it happened, what happened, and its details.
final class EventLog {

    private static final int LAST = 400;

    private final @Nullable Consumer<String> lines;
    private final ArrayDeque<String> last = new ArrayDeque<>();
    private final StringBuilder line = new StringBuilder();
    private final Formatter format = new Formatter(line, Locale.ROOT);
    private long nanos;
    private long hash = 0xcbf29ce484222325L;

    /// @param lines gets every line; null where nobody reads
    EventLog(@Nullable Consumer<String> lines) {
        this.lines = lines;
    }

    long hash() {
        return hash;
    }

    /// The latest notes, oldest first.
    Iterable<String> last() {
        return last;
    }

    private void mix(long value) {
        hash = (hash ^ value) * 0x100000001b3L;
        hash ^= hash >>> 29;
    }

    /// A task ran.
    void event(long now, @Nullable Machine machine, String what) {
        nanos = now;
        mix(now);
        mix(machine == null ? 0 : machine.id());
        mix(what.hashCode());
        if (lines != null) {
            write(machine, "run", what, false);
        }
    }

    /// Something worth a line of its own.
    void note(@Nullable Machine machine, String what, String details, long... values) {
        mix(what.hashCode());
        for (long value : values) {
            mix(value);
        }
        var all = details;
        if (values.length > 0) {
            var text = new StringBuilder(details);
            for (long value : values) {
                text.append(' ').append(value);
            }
            all = text.toString();
        }
        write(machine, what, all, true);
    }

    private void write(@Nullable Machine machine, String what, String details, boolean keep) {
        line.setLength(0);
        format.format("%12.3f  %-9s %-22s %s", nanos / 1e6, machine == null ? "-" : machine.name(), what, details);
        var text = line.toString().stripTrailing();
        if (keep) {
            last.addLast(text);
            if (last.size() > LAST) {
                last.removeFirst();
            }
        }
        if (lines != null) {
            lines.accept(text);
        }
    }
}
