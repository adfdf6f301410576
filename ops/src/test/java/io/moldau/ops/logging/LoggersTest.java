package io.moldau.ops.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/// Levels of loggers, as they are configured and as they change.
class LoggersTest {

    private final List<String> written = new ArrayList<>();
    private final Properties settings = new Properties();

    private Loggers loggers() {
        return new Loggers(
                settings,
                (level, logger, message, failure) ->
                        written.add(level + " " + logger + " " + message + (failure == null ? "" : " " + failure)));
    }

    @Test
    void withoutSettingsItIsInfo() {
        Logger logger = loggers().getLogger("a.B");
        logger.debug("no");
        logger.info("yes {} and {}", 1, "two");
        logger.error("why", new IOException("disk"));
        assertThat(written).containsExactly("INFO a.B yes 1 and two", "ERROR a.B why java.io.IOException: disk");
    }

    @Test
    void settingsHoldForALoggerAndThoseBelow() {
        settings.setProperty("level", "warn");
        settings.setProperty("level.io.netty", "off");
        settings.setProperty("level.io.netty.x", "trace");
        Loggers loggers = loggers();
        assertThat(loggers.getLogger("io.nettyX").isWarnEnabled()).isTrue();
        assertThat(loggers.getLogger("io.nettyX").isInfoEnabled()).isFalse();
        assertThat(loggers.getLogger("io.netty.y").isErrorEnabled()).isFalse();
        assertThat(loggers.getLogger("io.netty.x.Y").isTraceEnabled()).isTrue();
        assertThat(loggers.inEffect())
                .containsEntry("root", "WARN")
                .containsEntry("io.netty", "FATAL")
                .containsEntry("io.nettyX", "WARN")
                .containsEntry("io.netty.x.Y", "TRACE");
    }

    @Test
    void aLevelChangesWhileItIsUsed() {
        Loggers loggers = loggers();
        Logger below = loggers.getLogger("io.moldau.broker.Node");
        assertThat(loggers.knows("io.moldau.broker")).isTrue();
        assertThat(loggers.knows("io.moldau.bro")).isFalse();
        assertThat(loggers.knows("io.moldau.broker.Node")).isTrue();
        assertThat(loggers.knows("root")).isTrue();

        loggers.set("io.moldau", "DEBUG");
        assertThat(below.isDebugEnabled()).isTrue();
        assertThat(loggers.getLogger("io.moldau.Later").isDebugEnabled()).isTrue();
        loggers.set("io.moldau.broker", "ERROR");
        assertThat(below.isWarnEnabled()).isFalse();
        loggers.set("root", "TRACE");
        assertThat(below.isWarnEnabled()).isFalse();
        loggers.unset("io.moldau.broker");
        assertThat(below.isDebugEnabled()).isTrue();
        assertThat(below.isTraceEnabled()).isFalse();
        loggers.unset("io.moldau");
        assertThat(below.isTraceEnabled()).isTrue();
        loggers.unset("root");
        assertThat(below.isTraceEnabled()).isTrue();
    }

    @Test
    void aLevelThatIsNoneIsNamed() {
        settings.setProperty("level", "loud");
        assertThatThrownBy(this::loggers)
                .hasMessageContaining("'loud' is no log level")
                .hasMessageContaining("WARN");
    }

    @Test
    void aLineHasTimeLevelShortNameAndFailure() {
        var line = new LogLine("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", ZoneOffset.ofHours(1));
        assertThat(line.of(0, Level.WARN, "io.moldau.Node", "slow", null))
                .isEqualTo("1970-01-01T01:00:00.000+01:00 WARN Node - slow");
        assertThat(line.of(0, Level.ERROR, "Main", "broken", new IOException("disk")))
                .startsWith("1970-01-01T01:00:00.000+01:00 ERROR Main - broken")
                .contains("java.io.IOException: disk", "\tat " + getClass().getName());
    }
}
