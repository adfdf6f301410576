package io.moldau.ops.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Something that is so, what it comes from, and what a person may do about it. A value.
///
/// @param remedy empty if there is nothing to do, or if the causes say it
/// @param because the causes, the nearest first
public record Finding(Severity severity, String text, String remedy, List<Finding> because) {

    public enum Severity {
        OK,
        NOTE,
        WARNING,
        PROBLEM
    }

    public Finding {
        because = List.copyOf(because);
    }

    public static Finding ok(String text) {
        return new Finding(Severity.OK, text, "", List.of());
    }

    public static Finding note(String text, String remedy) {
        return new Finding(Severity.NOTE, text, remedy, List.of());
    }

    public static Finding warning(String text, String remedy, Finding... because) {
        return new Finding(Severity.WARNING, text, remedy, List.of(because));
    }

    public static Finding problem(String text, String remedy, Finding... because) {
        return new Finding(Severity.PROBLEM, text, remedy, List.of(because));
    }

    public Finding because(List<Finding> causes) {
        return new Finding(severity, text, remedy, causes);
    }

    /// Lines, each cause under what it causes.
    public static String text(List<Finding> findings) {
        List<String> lines = new ArrayList<>();
        findings.forEach(
                finding -> finding.lines("", finding.severity().name().toLowerCase(Locale.ROOT) + ": ", lines));
        return String.join("\n", lines);
    }

    private void lines(String indent, String word, List<String> lines) {
        lines.add(indent + word + text);
        if (!remedy.isEmpty()) {
            lines.add(indent + "  -> " + remedy);
        }
        because.forEach(cause -> cause.lines(indent + "  ", "because ", lines));
    }

    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("severity", severity.name().toLowerCase(Locale.ROOT));
        json.put("text", text);
        if (!remedy.isEmpty()) {
            json.put("remedy", remedy);
        }
        if (!because.isEmpty()) {
            json.put("because", because.stream().map(Finding::json).toList());
        }
        return json;
    }

    public static Severity worst(List<Finding> findings) {
        return findings.stream().map(Finding::severity).max(Severity::compareTo).orElse(Severity.OK);
    }
}
