package io.moldau.ops.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The files of the console, by the path they are asked for under. Only the names in this list lead to a file, so no
/// path leads out of its folder. Thread-safe; a file is read when it is first asked for.
public final class ConsoleFiles {

    private static final String PAGE = "text/html; charset=utf-8";
    private static final String STYLE = "text/css; charset=utf-8";
    private static final String SCRIPT = "text/javascript; charset=utf-8";
    private static final String IMAGE = "image/svg+xml";

    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("index.html", PAGE),
            Map.entry("console.css", STYLE),
            Map.entry("icon.svg", IMAGE),
            Map.entry("app.js", SCRIPT),
            Map.entry("theme.js", SCRIPT),
            Map.entry("api.js", SCRIPT),
            Map.entry("dom.js", SCRIPT),
            Map.entry("format.js", SCRIPT),
            Map.entry("plot.js", SCRIPT),
            Map.entry("findings.js", SCRIPT),
            Map.entry("overview.js", SCRIPT),
            Map.entry("topics.js", SCRIPT),
            Map.entry("messages.js", SCRIPT),
            Map.entry("groups.js", SCRIPT),
            Map.entry("brokers.js", SCRIPT),
            Map.entry("configs.js", SCRIPT),
            Map.entry("live.js", SCRIPT));

    private static final String FOLDER = "/console/";

    private final Map<String, ConsoleFile> files = new ConcurrentHashMap<>();

    public ConsoleFiles() {}

    /// Null if there is none at this path.
    public @Nullable ConsoleFile find(String path) {
        String name = path.equals("/") ? "index.html" : path.startsWith(FOLDER) ? path.substring(FOLDER.length()) : "";
        String type = TYPES.get(name);
        return type == null ? null : files.computeIfAbsent(name, it -> read(it, type));
    }

    private static ConsoleFile read(String name, String type) {
        try (InputStream in = ConsoleFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the archive has no " + name);
            }
            byte[] bytes = in.readAllBytes();
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return new ConsoleFile(type, bytes, "\"" + HexFormat.of().formatHex(digest, 0, 8) + "\"");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
