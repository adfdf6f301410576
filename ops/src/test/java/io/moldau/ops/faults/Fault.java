package io.moldau.ops.faults;

import java.util.List;

/// One way in which something goes wrong: a row of `docs/faults.md`.
///
/// @param id its name
/// @param staged how it comes about
/// @param code the error a client gets, in Kafka's words and the same as from Kafka; [#CLOSED], or [#NONE] where no
///     client is involved
/// @param told who says what is wrong
/// @param words pieces of what is said: the subject, the cause and the remedy
/// @param stage brings it about
record Fault(String id, String staged, String code, String told, List<String> words, Stage stage) {

    static final String NONE = "-";

    /// The connection ends without an answer.
    static final String CLOSED = "(connection closed)";

    /// What was seen and read.
    record Told(String code, String text) {

        static Told text(String text) {
            return new Told(NONE, text);
        }
    }

    /// Brings a fault about, and looks how it is told.
    @FunctionalInterface
    interface Stage {
        Told on(Stages stages) throws Exception;
    }

    @Override
    public String toString() {
        return id;
    }
}
