package io.moldau.docker;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/// Reads YAML into JSON's types.
final class Yaml {

    private Yaml() {}

    /// The documents of a file, anchors and merges resolved; a key that stands twice is refused.
    static List<JsonObject> documents(Path file) throws IOException {
        var options = new LoaderOptions();
        options.setAllowDuplicateKeys(false);
        var gson = new Gson();
        List<JsonObject> documents = new ArrayList<>();
        try (var reader = Files.newBufferedReader(file)) {
            new org.yaml.snakeyaml.Yaml(new SafeConstructor(options))
                    .loadAll(reader)
                    .forEach(document -> documents.add(gson.toJsonTree(document).getAsJsonObject()));
        }
        return documents;
    }

    static JsonObject document(Path file) throws IOException {
        List<JsonObject> all = documents(file);
        if (all.size() != 1) {
            throw new IllegalArgumentException(file + " holds " + all.size() + " documents");
        }
        return all.getFirst();
    }
}
