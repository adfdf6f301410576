package io.moldau.sim;

import java.util.ArrayDeque;
import java.util.List;
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
    private final ArrayDeque<Note> last = new ArrayDeque<>();
    private long nanos;
    private long hash = 0xcbf29ce484222325L;

    private record Note(long nanos, @Nullable Machine machine, String what, Object details, long[] values) {
        @Override
        public String toString() {
            var line = new StringBuilder(String.format(
                    Locale.ROOT,
                    "%12.3f  %-9s %-22s %s",
                    nanos / 1e6,
                    machine == null ? "-" : machine.name(),
                    what,
                    details));
            for (long value : values) {
                line.append(' ').append(value);
            }
            return line.toString().stripTrailing();
        }
    }

    /// @param lines gets every line; null where nobody reads
    EventLog(@Nullable Consumer<String> lines) {
        this.lines = lines;
    }

    long hash() {
        return hash;
    }

    /// The latest notes, oldest first.
    List<String> last() {
        return last.stream().map(Note::toString).toList();
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
            lines.accept(new Note(nanos, machine, "run", what, new long[0]).toString());
        }
    }

    /// Something worth a line of its own.
    ///
    /// @param details must not change any more; is made a text only if somebody reads it
    void note(@Nullable Machine machine, String what, Object details, long... values) {
        mix(what.hashCode());
        for (long value : values) {
            mix(value);
        }
        var note = new Note(nanos, machine, what, details, values);
        last.addLast(note);
        if (last.size() > LAST) {
            last.removeFirst();
        }
        if (lines != null) {
            lines.accept(note.toString());
        }
    }
}
