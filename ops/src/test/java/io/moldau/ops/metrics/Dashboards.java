package io.moldau.ops.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The files in `ops/dashboards`.
public final class Dashboards {

    /// Tests run in the module's folder, or in the project's.
    public static final Path FOLDER =
            (Files.isDirectory(Path.of("ops")) ? Path.of("ops", "dashboards") : Path.of("dashboards")).toAbsolutePath();

    private static final List<String> FILES =
            List.of("cluster.json", "broker.json", "topics.json", "groups.json", "quorum.json");

    private static final Pattern EXPRESSION = Pattern.compile("(?m)^ {8}expr: (\".*\")$");
    private static final Pattern ALERT = Pattern.compile("(?m)^ {6}- alert: (\\w+)$");
    private static final ObjectMapper JSON = new ObjectMapper();

    private Dashboards() {}

    static String read(String name) throws IOException {
        return Files.readString(FOLDER.resolve(name));
    }

    /// The queries of all panels and of all alert rules, as they are written.
    static List<String> queries() throws IOException {
        var all = new ArrayList<>(panelQueries());
        all.addAll(alertQueries());
        return all;
    }

    /// As they are written, with Grafana's variables.
    public static List<String> panelQueries() throws IOException {
        List<String> all = new ArrayList<>();
        for (String file : FILES) {
            for (JsonNode panel : JSON.readTree(read(file)).get("panels")) {
                panel.path("targets")
                        .forEach(target -> all.add(target.get("expr").asText()));
            }
        }
        return all;
    }

    public static List<String> alertQueries() throws IOException {
        List<String> all = new ArrayList<>();
        Matcher matcher = EXPRESSION.matcher(read("alerts.yml"));
        while (matcher.find()) {
            all.add(JSON.readValue(matcher.group(1), String.class));
        }
        return all;
    }

    static List<String> alerts() throws IOException {
        List<String> all = new ArrayList<>();
        Matcher matcher = ALERT.matcher(read("alerts.yml"));
        while (matcher.find()) {
            all.add(matcher.group(1));
        }
        return all;
    }
}
