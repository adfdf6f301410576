package io.moldau.broker.config;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// The log levels of this process, and changes of them while it runs (KIP-412). A change holds for a logger and for all
/// below it that have no level of their own, until the process ends. Thread-safe.
public interface LogLevels {

    /// The logger above all others.
    String ROOT = "root";

    /// What a logger can be set to. FATAL lets nothing through.
    List<String> NAMES = List.of("DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN");

    /// Of a process whose levels cannot be changed.
    LogLevels FIXED = new LogLevels() {
        @Override
        public SortedMap<String, String> inEffect() {
            return new TreeMap<>();
        }

        @Override
        public boolean knows(String logger) {
            return false;
        }

        @Override
        public void set(String logger, String level) {}

        @Override
        public void unset(String logger) {}
    };

    /// Every logger there is, the root among them, with the level in effect.
    SortedMap<String, String> inEffect();

    /// Whether there is this logger, or one below it.
    boolean knows(String logger);

    /// @param logger one that is known
    /// @param level one of [#NAMES]
    void set(String logger, String level);

    /// Takes a logger's own level away, so that the one above counts.
    void unset(String logger);
}
