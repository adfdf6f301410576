package io.moldau.ops.admin;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds what answers a path. Templates are written as OpenAPI has them: `/topics/{topic}`. Built by one thread, then
/// read by all.
final class Routes {

    /// Answers with what becomes JSON.
    @FunctionalInterface
    interface Handler {
        Object answer(Parameters parameters);
    }

    /// Whoever answers, and what the path and the query say.
    record Match(Handler handler, Parameters parameters) {}

    private record Route(List<String> segments, Handler handler) {}

    private final Map<String, Route> routes = new LinkedHashMap<>();

    Routes add(String template, Handler handler) {
        routes.put(template, new Route(List.of(template.substring(1).split("/", -1)), handler));
        return this;
    }

    List<String> templates() {
        return List.copyOf(routes.keySet());
    }

    /// @param rawPath still encoded
    /// @param rawQuery the same; null if there is none
    @Nullable
    Match find(String rawPath, @Nullable String rawQuery) {
        List<String> asked = List.of(rawPath.substring(1).split("/", -1));
        for (Route route : routes.values()) {
            Map<String, String> values = match(route.segments(), asked);
            if (values != null) {
                return new Match(route.handler(), new Parameters(values, query(rawQuery)));
            }
        }
        return null;
    }

    private static @Nullable Map<String, String> match(List<String> template, List<String> asked) {
        if (template.size() != asked.size()) {
            return null;
        }
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < asked.size(); i++) {
            String part = template.get(i);
            if (part.startsWith("{")) {
                values.put(
                        part.substring(1, part.length() - 1),
                        decoded(asked.get(i).replace("+", "%2B")));
            } else if (!part.equals(asked.get(i))) {
                return null;
            }
        }
        return values;
    }

    private static Map<String, String> query(@Nullable String rawQuery) {
        Map<String, String> query = new HashMap<>();
        if (rawQuery == null || rawQuery.isEmpty()) {
            return query;
        }
        List<String> twice = new ArrayList<>();
        for (String pair : rawQuery.split("&", -1)) {
            int at = pair.indexOf('=');
            String name = decoded(at < 0 ? pair : pair.substring(0, at));
            if (query.put(name, at < 0 ? "" : decoded(pair.substring(at + 1))) != null) {
                twice.add(name);
            }
        }
        if (!twice.isEmpty()) {
            throw new Refusal(400, "the query has " + twice.getFirst() + " twice");
        }
        return query;
    }

    private static String decoded(String raw) {
        try {
            return URLDecoder.decode(raw, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Refusal(400, "'" + raw + "' is not encoded as a part of an address is");
        }
    }
}
