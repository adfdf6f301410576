package io.moldau.wire.generator;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Compiles the schemas of a folder or jar into Java sources.
///
/// Arguments: the folder or jar, the output folder, the package of the messages, and optionally `--api-key` with the
/// package for the enum `ApiKey`. Files whose content is right already are left alone, so that the compiler does not
/// start over; files of schemas that are gone are deleted.
public final class Generate {

    private final Path output;
    private final Set<Path> written = new HashSet<>();

    private Generate(Path output) {
        this.output = output;
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 3 && !(args.length == 5 && args[3].equals("--api-key"))) {
            throw new IllegalArgumentException(
                    "usage: Generate <folder or jar> <output folder> <package> [--api-key <package>]");
        }
        var schemas = schemas(Path.of(args[0]));
        var generate = new Generate(Path.of(args[1]));
        generate.messages(schemas, args[2]);
        if (args.length == 5) {
            generate.file(args[4], "ApiKey", ApiKeysWriter.write(schemas, args[2], args[4]));
        }
        generate.deleteOthers();
    }

    private static List<MessageSchema> schemas(Path source) throws IOException {
        if (Files.isDirectory(source)) {
            return schemasBelow(source);
        }
        try (var jar = FileSystems.newFileSystem(source)) {
            return schemasBelow(jar.getPath("common", "message"));
        }
    }

    private static List<MessageSchema> schemasBelow(Path folder) throws IOException {
        var reader = new SchemaReader();
        var schemas = new ArrayList<MessageSchema>();
        try (var files = Files.walk(folder)) {
            for (var file : files.filter(path -> path.toString().endsWith(".json"))
                    .sorted(Comparator.comparing(Path::toString))
                    .toList()) {
                schemas.add(reader.read(String.valueOf(file.getFileName()), Files.readString(file)));
            }
        }
        if (schemas.isEmpty()) {
            throw new SchemaException("no *.json below " + folder);
        }
        return schemas;
    }

    private void messages(List<MessageSchema> schemas, String packageName) throws IOException {
        for (var schema : schemas) {
            if (!schema.validVersions().isEmpty()) {
                file(packageName, schema.className(), MessageWriter.write(schema, packageName));
            }
        }
        file(packageName, "package-info", """
                /// Messages generated from their schemas.
                @org.jspecify.annotations.NullMarked
                package %s;
                """.formatted(packageName));
    }

    private void file(String packageName, String className, String text) throws IOException {
        var file = output.resolve(packageName.replace('.', '/')).resolve(className + ".java");
        written.add(file);
        Files.createDirectories(file.getParent());
        if (!Files.exists(file) || !Files.readString(file).equals(text)) {
            Files.writeString(file, text);
        }
    }

    private void deleteOthers() throws IOException {
        try (var files = Files.walk(output)) {
            for (var file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                if (!written.contains(file)) {
                    Files.delete(file);
                }
            }
        }
    }
}
