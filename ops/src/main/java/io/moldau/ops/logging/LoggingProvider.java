package io.moldau.ops.logging;

import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/// What SLF4J asks for loggers in a process of ours.
///
/// It is named by a system property and not found by SLF4J itself: where a node runs in somebody else's process, in a
/// test for example, the loggers are theirs.
public final class LoggingProvider implements SLF4JServiceProvider {

    private final Loggers loggers = Loggers.ofProcess();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter contexts = new NOPMDCAdapter();

    /// For the beginning of a main method: before any class with a logger is used.
    public static void use() {
        System.setProperty("slf4j.provider", LoggingProvider.class.getName());
        // It would tell on standard error that it was told.
        System.setProperty("slf4j.internal.verbosity", "WARN");
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return loggers;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return contexts;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}
}
