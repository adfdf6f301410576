package io.moldau.wire.generator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// One schema file.
///
/// @param apiKey the API key, -1 when the message belongs to no API
/// @param structs every struct of the message, nested ones and common ones alike, in order of declaration
record MessageSchema(
        String name,
        Kind kind,
        int apiKey,
        VersionRange validVersions,
        VersionRange flexibleVersions,
        boolean latestVersionUnstable,
        List<String> listeners,
        String about,
        List<FieldSchema> fields,
        List<StructSchema> structs) {

    enum Kind {
        REQUEST,
        RESPONSE,
        HEADER,
        DATA,
        COORDINATOR_KEY,
        COORDINATOR_VALUE
    }

    /// A named group of fields.
    record StructSchema(String name, VersionRange versions, String about, List<FieldSchema> fields) {}

    /// Kafka's name of the class: request, response and header classes and plain data end in `Data`, records that
    /// carry their own noun do not.
    String className() {
        return switch (kind) {
            case REQUEST, RESPONSE, HEADER -> name + "Data";
            case DATA, COORDINATOR_KEY, COORDINATOR_VALUE -> name;
        };
    }

    @Nullable
    StructSchema struct(String structName) {
        for (var struct : structs) {
            if (struct.name().equals(structName)) {
                return struct;
            }
        }
        return null;
    }
}
