package io.moldau.ops;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/// Puts a node's settings together: the file's, over them those of the environment, over these single keys of the
/// command line, then the data directory.
public final class NodeSettings {

    private static final String LOG_DIRS = "log.dirs";
    private static final Path DEFAULT_DATA = Path.of("data");

    private NodeSettings() {}

    /// What `moldau start` would begin with.
    ///
    /// @param environment the process's variables
    /// @throws UsageException if the file cannot be read, or a variable sets nothing
    public static Map<String, String> of(
            Optional<Path> config, Map<String, String> overrides, Map<String, String> environment) {
        return of(new StartArguments(Optional.empty(), config, overrides), environment);
    }

    static Map<String, String> of(StartArguments arguments, Map<String, String> environment) {
        var settings = new LinkedHashMap<String, String>();
        arguments.config().ifPresent(file -> settings.putAll(read(file)));
        settings.putAll(EnvironmentSettings.of(environment));
        settings.putAll(arguments.overrides());
        arguments.data().ifPresent(data -> settings.put(LOG_DIRS, absolute(data)));
        if (!settings.containsKey(LOG_DIRS) && !settings.containsKey("log.dir")) {
            settings.put(LOG_DIRS, absolute(DEFAULT_DATA));
        }
        return settings;
    }

    /// Where the node keeps what it keeps, by the settings above; for people to read.
    static String dataOf(Map<String, String> settings) {
        return settings.getOrDefault(LOG_DIRS, settings.getOrDefault("log.dir", ""));
    }

    private static String absolute(Path path) {
        String folder = path.toAbsolutePath().normalize().toString();
        if (folder.contains(",")) {
            throw new UsageException("The data folder " + folder
                    + " has a comma in its path, which stands between folders in log.dirs; choose another one.");
        }
        return folder;
    }

    private static Map<String, String> read(Path file) {
        var properties = new Properties();
        try (var reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            throw new UsageException("There is no file " + file + "; --config names a file of broker properties.");
        } catch (IOException | IllegalArgumentException e) {
            throw new UsageException("The configuration file " + file + " cannot be read: " + e.getMessage() + ".");
        }
        var settings = new LinkedHashMap<String, String>();
        properties.stringPropertyNames().stream()
                .sorted()
                .forEach(name -> settings.put(name, properties.getProperty(name).strip()));
        return settings;
    }
}
