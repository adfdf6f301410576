package io.moldau.wire.generator;

import io.moldau.wire.generator.MessageSchema.Kind;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Writes the enum `ApiKey`: every API that has a supported version, with version ranges and header versions.
final class ApiKeysWriter {

    private static final int API_VERSIONS = 18;

    private ApiKeysWriter() {}

    /// The source text of `ApiKey`; `messagePackage` holds the request and response classes.
    static String write(List<MessageSchema> schemas, String messagePackage, String enumPackage) {
        Map<Integer, MessageSchema> requests = new TreeMap<>(byKey(schemas, Kind.REQUEST));
        var responses = byKey(schemas, Kind.RESPONSE);
        var java = new JavaText();
        java.line("// Generated from the message schemas. Do not edit.");
        java.line("package " + enumPackage + ";").line();
        java.line("import org.jspecify.annotations.Nullable;").line();
        java.doc("The APIs of the protocol with the versions that are ready for use.");
        java.line("@SuppressWarnings(\"unused\")");
        java.open("public enum ApiKey");
        int last = 0;
        for (var request : requests.values()) {
            var response = responses.get(request.apiKey());
            if (response == null) {
                throw new SchemaException(request.name() + " has no response schema");
            }
            var valid = request.validVersions();
            int highest = request.latestVersionUnstable() ? valid.highest() - 1 : valid.highest();
            java.line(constant(request) + "(" + request.apiKey() + ", \"" + apiName(request) + "\", " + valid.lowest()
                    + ", " + highest + ", " + firstFlexible(request) + ", "
                    + (request.apiKey() == API_VERSIONS ? Short.MAX_VALUE : firstFlexible(response)) + ", "
                    + request.listeners().contains("broker") + ", "
                    + request.listeners().contains("controller") + "),");
            last = request.apiKey();
        }
        java.line(";").line();
        java.line("private static final @Nullable ApiKey[] BY_ID = new @Nullable ApiKey[" + (last + 1) + "];")
                .line();
        java.open("static");
        java.open("for (var key : values())").line("BY_ID[key.id] = key;").close();
        java.close().line();
        for (var field : List.of("short id", "String apiName", "short lowestVersion", "short highestVersion")) {
            java.line("private final " + field + ";");
        }
        java.line("private final short flexibleRequests;");
        java.line("private final short flexibleResponseHeaders;");
        java.line("private final boolean onBroker;");
        java.line("private final boolean onController;").line();
        java.open("ApiKey(int id, String apiName, int lowestVersion, int highestVersion, int flexibleRequests,"
                + " int flexibleResponseHeaders, boolean onBroker, boolean onController)");
        java.line("this.id = (short) id;");
        java.line("this.apiName = apiName;");
        java.line("this.lowestVersion = (short) lowestVersion;");
        java.line("this.highestVersion = (short) highestVersion;");
        java.line("this.flexibleRequests = (short) flexibleRequests;");
        java.line("this.flexibleResponseHeaders = (short) flexibleResponseHeaders;");
        java.line("this.onBroker = onBroker;");
        java.line("this.onController = onController;");
        java.close().line();
        method(
                java,
                "The API of that key, or null when there is none.",
                "static @Nullable ApiKey forId(int id)",
                "return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;");
        method(java, "The key on the wire.", "short id()", "return id;");
        method(java, "The name as in the schemas, such as `InitProducerId`.", "String apiName()", "return apiName;");
        method(java, "The oldest version that is spoken.", "short lowestVersion()", "return lowestVersion;");
        method(
                java,
                "The newest version that is ready for use. The schemas may hold an unstable one above it.",
                "short highestVersion()",
                "return highestVersion;");
        method(
                java,
                "Whether the version lies in the range that is ready for use.",
                "boolean supports(int version)",
                "return version >= lowestVersion && version <= highestVersion;");
        method(
                java,
                "Whether requests of that version have compact lengths and tagged fields (KIP-482).",
                "boolean isFlexible(short version)",
                "return version >= flexibleRequests;");
        method(
                java,
                "The version of the header before a request of that version.",
                "short requestHeaderVersion(short version)",
                "return (short) (version >= flexibleRequests ? 2 : 1);");
        method(
                java,
                "The version of the header before the response. Always 0 for ApiVersions, which a client must be able to"
                        + " read before it knows anything of the broker (KIP-511).",
                "short responseHeaderVersion(short version)",
                "return (short) (version >= flexibleResponseHeaders ? 1 : 0);");
        method(java, "Whether a broker's client listeners serve it.", "boolean onBroker()", "return onBroker;");
        method(java, "Whether a controller's listeners serve it.", "boolean onController()", "return onController;");
        factory(java, "An empty request.", "newRequest", requests, messagePackage);
        responses.keySet().retainAll(requests.keySet());
        factory(java, "An empty response.", "newResponse", responses, messagePackage);
        java.close();
        return java.toString();
    }

    private static void method(JavaText java, String doc, String signature, String body) {
        java.doc(doc);
        java.open("public " + signature).line(body).close().line();
    }

    private static void factory(
            JavaText java, String doc, String name, Map<Integer, MessageSchema> messages, String messagePackage) {
        java.doc(doc);
        java.open("public Message " + name + "()");
        java.open("return switch (this)");
        for (var message : messages.values()) {
            java.line("case " + constant(message) + " -> new " + messagePackage + "." + message.className() + "();");
        }
        java.line("};");
        java.close();
    }

    private static Map<Integer, MessageSchema> byKey(List<MessageSchema> schemas, Kind kind) {
        return schemas.stream()
                .filter(schema ->
                        schema.kind() == kind && !schema.validVersions().isEmpty())
                .collect(Collectors.toMap(MessageSchema::apiKey, Function.identity(), (a, b) -> a, TreeMap::new));
    }

    private static int firstFlexible(MessageSchema schema) {
        return schema.flexibleVersions().isEmpty()
                ? Short.MAX_VALUE
                : schema.flexibleVersions().lowest();
    }

    private static String apiName(MessageSchema schema) {
        var suffix = schema.kind() == Kind.REQUEST ? "Request" : "Response";
        return schema.name().substring(0, schema.name().length() - suffix.length());
    }

    private static String constant(MessageSchema schema) {
        return apiName(schema).replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
    }
}
