package io.moldau.wire.generator;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.moldau.wire.generator.MessageSchema.Kind;
import io.moldau.wire.generator.MessageSchema.StructSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads one schema: JSON with `//` comments.
///
/// Attributes that it does not know are refused, so that an upgrade of the schemas cannot lose a meaning silently.
/// `entityType`, `mapKey` and `zeroCopy` are known and have no effect: they change Java types in Kafka and never bytes.
final class SchemaReader {

    private static final Set<String> MESSAGE_ATTRIBUTES = Set.of(
            "apiKey",
            "type",
            "listeners",
            "name",
            "validVersions",
            "deprecatedVersions",
            "flexibleVersions",
            "latestVersionUnstable",
            "commonStructs",
            "fields",
            "about");
    private static final Set<String> FIELD_ATTRIBUTES = Set.of(
            "name",
            "type",
            "versions",
            "nullableVersions",
            "taggedVersions",
            "tag",
            "flexibleVersions",
            "ignorable",
            "default",
            "about",
            "fields",
            "entityType",
            "mapKey",
            "zeroCopy");

    private final ObjectMapper json =
            JsonMapper.builder().enable(JsonParser.Feature.ALLOW_COMMENTS).build();

    /// Parses the text of the schema file called `source`.
    MessageSchema read(String source, String text) {
        try {
            return message(json.readTree(text));
        } catch (IOException e) {
            throw new UncheckedIOException(source + " is not JSON", e);
        } catch (SchemaException e) {
            throw new SchemaException(source + ": " + e.getMessage());
        }
    }

    private static MessageSchema message(JsonNode node) {
        refuseUnknown(node, MESSAGE_ATTRIBUTES);
        var structs = new ArrayList<StructSchema>();
        for (var common : node.path("commonStructs")) {
            structs.add(new StructSchema(
                    required(common, "name"),
                    VersionRange.parse(required(common, "versions")),
                    common.path("about").asText(""),
                    fields(common, structs)));
        }
        var fields = fields(node, structs);
        var listeners = new ArrayList<String>();
        node.path("listeners").forEach(listener -> listeners.add(listener.asText()));
        var flexible = node.path("flexibleVersions").asText("none");
        var schema = new MessageSchema(
                required(node, "name"),
                kind(required(node, "type")),
                node.path("apiKey").asInt(-1),
                VersionRange.parse(required(node, "validVersions")),
                VersionRange.parse(flexible),
                node.path("latestVersionUnstable").asBoolean(false),
                List.copyOf(listeners),
                node.path("about").asText(""),
                fields,
                List.copyOf(structs));
        checkStructs(schema, schema.fields());
        schema.structs().forEach(struct -> checkStructs(schema, struct.fields()));
        return schema;
    }

    private static Kind kind(String type) {
        return switch (type) {
            case "request" -> Kind.REQUEST;
            case "response" -> Kind.RESPONSE;
            case "header" -> Kind.HEADER;
            case "data", "metadata" -> Kind.DATA;
            case "coordinator-key" -> Kind.COORDINATOR_KEY;
            case "coordinator-value" -> Kind.COORDINATOR_VALUE;
            default -> throw new SchemaException("unknown message type '" + type + "'");
        };
    }

    private static List<FieldSchema> fields(JsonNode parent, List<StructSchema> structs) {
        var fields = new ArrayList<FieldSchema>();
        for (var node : parent.path("fields")) {
            refuseUnknown(node, FIELD_ATTRIBUTES);
            var name = required(node, "name");
            var type = FieldType.parse(required(node, "type"));
            var tagged = VersionRange.parse(node.path("taggedVersions").asText("none"));
            var versions = node.has("versions") ? VersionRange.parse(required(node, "versions")) : tagged;
            var structName = structName(type);
            if (node.has("fields")) {
                if (structName == null) {
                    throw new SchemaException("field " + name + " lists fields but its type is no struct");
                }
                structs.add(new StructSchema(
                        structName, versions, node.path("about").asText(""), fields(node, structs)));
            }
            fields.add(new FieldSchema(
                    name,
                    type,
                    versions,
                    VersionRange.parse(node.path("nullableVersions").asText("none")),
                    tagged,
                    node.path("tag").asInt(-1),
                    node.path("ignorable").asBoolean(false),
                    node.has("default") ? node.path("default").asText() : null,
                    node.has("flexibleVersions") ? VersionRange.parse(required(node, "flexibleVersions")) : null,
                    node.path("about").asText("")));
        }
        return List.copyOf(fields);
    }

    private static @Nullable String structName(FieldType type) {
        return switch (type) {
            case FieldType.Struct struct -> struct.javaName();
            case FieldType.Array(FieldType.Struct struct) -> struct.javaName();
            default -> null;
        };
    }

    private static void checkStructs(MessageSchema schema, List<FieldSchema> fields) {
        for (var field : fields) {
            var name = structName(field.type());
            if (name != null && schema.struct(name) == null) {
                throw new SchemaException("field " + field.name() + " has the unknown type '" + name + "'");
            }
        }
    }

    private static String required(JsonNode node, String attribute) {
        if (!node.hasNonNull(attribute)) {
            throw new SchemaException("attribute '" + attribute + "' is missing in "
                    + node.path("name").asText("the message"));
        }
        return node.path(attribute).asText();
    }

    private static void refuseUnknown(JsonNode node, Set<String> known) {
        node.fieldNames().forEachRemaining(attribute -> {
            if (!known.contains(attribute)) {
                throw new SchemaException("unknown attribute '" + attribute + "' in "
                        + node.path("name").asText());
            }
        });
    }
}
