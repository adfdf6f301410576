package io.moldau.log.recovery;

import io.moldau.log.storage.LogStorage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// The `.kafka_cleanshutdown` file of a log directory: there while nothing in the directory is in doubt. It
/// holds the epoch of the broker that stopped (KIP-966), as JSON.
public final class CleanShutdownMarker {

    public static final String FILE_NAME = ".kafka_cleanshutdown";

    private static final Pattern BROKER_EPOCH = Pattern.compile("\"brokerEpoch\"\\s*:\\s*(-?\\d{1,18})\\b");

    private CleanShutdownMarker() {}

    public static void write(LogStorage storage, Path logDir, long brokerEpoch) throws IOException {
        var json = "{\"version\":0,\"brokerEpoch\":" + brokerEpoch + "}";
        storage.replace(logDir.resolve(FILE_NAME), json.getBytes(StandardCharsets.UTF_8), true);
    }

    /// The epoch in the marker, -1 in one without; nothing if there is no marker.
    public static OptionalLong read(LogStorage storage, Path logDir) throws IOException {
        var path = logDir.resolve(FILE_NAME);
        if (!storage.exists(path)) {
            return OptionalLong.empty();
        }
        var found = BROKER_EPOCH.matcher(new String(storage.readAll(path), StandardCharsets.UTF_8));
        return OptionalLong.of(found.find() ? Long.parseLong(found.group(1)) : -1L);
    }
}
