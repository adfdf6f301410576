package io.moldau.ops.logging;

import io.moldau.broker.config.LogLevels;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/// All loggers of a process, and their levels. A logger without a level of its own has that of the nearest one above
/// it,
/// by the dots in its name. Thread-safe.
public final class Loggers implements ILoggerFactory, LogLevels {

    /// Lets nothing through.
    private static final int SILENT = Level.ERROR.toInt() + 10;

    private static final String RESOURCE = "/moldau-log.properties";
    private static final String PREFIX = "moldau.log.";
    private static final String LEVEL = "level";

    private final LevelledLogger.Sink sink;
    private final ConcurrentMap<String, LevelledLogger> loggers = new ConcurrentHashMap<>();

    /// Levels that were set, by logger; that of the root is always there. Guarded by this.
    private final Map<String, Integer> own = new HashMap<>();

    /// @param settings `level`, and `level.NAME` for single loggers
    Loggers(Properties settings, LevelledLogger.Sink sink) {
        this.sink = sink;
        own.put(ROOT, Level.INFO.toInt());
        for (String key : settings.stringPropertyNames()) {
            if (key.equals(LEVEL)) {
                own.put(ROOT, threshold(settings.getProperty(key)));
            } else if (key.startsWith(LEVEL + ".")) {
                own.put(key.substring(LEVEL.length() + 1), threshold(settings.getProperty(key)));
            }
        }
    }

    /// Writes to standard error, with the levels of the class path's settings and of system properties over them.
    static Loggers ofProcess() {
        var settings = new Properties();
        try (var in = Loggers.class.getResourceAsStream(RESOURCE)) {
            if (in != null) {
                settings.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("The log settings " + RESOURCE + " cannot be read", e);
        }
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(PREFIX))
                .forEach(name -> settings.setProperty(name.substring(PREFIX.length()), System.getProperty(name)));
        var line = new LogLine(settings.getProperty("time", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"), ZoneId.systemDefault());
        return new Loggers(settings, sink(line, new SystemTime(), System.err));
    }

    private static LevelledLogger.Sink sink(LogLine line, Time time, PrintStream out) {
        return (level, logger, message, failure) ->
                out.println(line.of(time.milliseconds(), level, logger, message, failure));
    }

    @Override
    public Logger getLogger(String name) {
        LevelledLogger known = loggers.get(name);
        return known != null ? known : made(name);
    }

    private synchronized Logger made(String name) {
        // Under the lock, so that no change of a level passes a logger by that is being made.
        return loggers.computeIfAbsent(name, key -> new LevelledLogger(key, inherited(key), sink));
    }

    private int inherited(String name) {
        for (String at = name; !at.isEmpty(); at = at.substring(0, Math.max(0, at.lastIndexOf('.')))) {
            Integer level = own.get(at);
            if (level != null) {
                return level;
            }
        }
        return own.getOrDefault(ROOT, Level.INFO.toInt());
    }

    @Override
    public synchronized SortedMap<String, String> inEffect() {
        SortedMap<String, String> levels = new TreeMap<>();
        own.forEach((name, level) -> levels.put(name, name(level)));
        loggers.forEach((name, logger) -> levels.put(name, name(logger.threshold())));
        return levels;
    }

    @Override
    public synchronized boolean knows(String logger) {
        return own.containsKey(logger)
                || loggers.keySet().stream()
                        .anyMatch(name -> name.equals(logger)
                                || (name.startsWith(logger) && name.charAt(logger.length()) == '.'));
    }

    @Override
    public synchronized void set(String logger, String level) {
        own.put(logger, threshold(level));
        apply();
    }

    @Override
    public synchronized void unset(String logger) {
        if (!logger.equals(ROOT) && own.remove(logger) != null) {
            apply();
        }
    }

    private void apply() {
        loggers.forEach((name, logger) -> logger.threshold(inherited(name)));
    }

    private static int threshold(String level) {
        String name = level.strip().toUpperCase(Locale.ROOT);
        return switch (name) {
            case "FATAL", "OFF" -> SILENT;
            case "TRACE", "DEBUG", "INFO", "WARN", "ERROR" ->
                Level.valueOf(name).toInt();
            default -> throw new IllegalArgumentException("'" + level + "' is no log level; take one of " + NAMES);
        };
    }

    private static String name(int threshold) {
        return threshold == SILENT ? "FATAL" : Level.intToLevel(threshold).name();
    }
}
