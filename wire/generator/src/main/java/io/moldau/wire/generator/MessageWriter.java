package io.moldau.wire.generator;

import io.moldau.wire.generator.FieldType.Array;
import io.moldau.wire.generator.FieldType.Bytes;
import io.moldau.wire.generator.FieldType.Fixed;
import io.moldau.wire.generator.FieldType.Records;
import io.moldau.wire.generator.FieldType.Struct;
import io.moldau.wire.generator.FieldType.Text;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Writes the Java class of one message: fields with accessors, `read`, `write`, equality and text.
///
/// Reading and writing are straight code per field with a condition on the version where versions differ.
final class MessageWriter {

    private static final String IMPORTS = """
            import io.moldau.common.Uuid;
            import io.moldau.wire.protocol.ErrorCodes;
            import io.moldau.wire.protocol.Message;
            import io.moldau.wire.protocol.RawTaggedFields;
            import io.moldau.wire.protocol.Readable;
            import io.moldau.wire.protocol.RecordBytes;
            import io.moldau.wire.protocol.SizeCounter;
            import io.moldau.wire.protocol.UnsupportedFieldException;
            import io.moldau.wire.protocol.WireFormat;
            import io.moldau.wire.protocol.Writable;
            import java.util.ArrayList;
            import java.util.Arrays;
            import java.util.List;
            import java.util.Objects;
            import org.jspecify.annotations.Nullable;
            """;

    private final MessageSchema schema;
    private final JavaText java = new JavaText();

    private MessageWriter(MessageSchema schema) {
        this.schema = schema;
    }

    /// The source text of the message's class in `packageName`.
    static String write(MessageSchema schema, String packageName) {
        return new MessageWriter(schema).file(packageName);
    }

    private String file(String packageName) {
        java.line("// Generated from the schema " + schema.name() + ". Do not edit.");
        java.line("package " + packageName + ";").line();
        IMPORTS.lines().forEach(java::line);
        java.line();
        java.doc(schema.about().isEmpty() ? "The message " + schema.name() + "." : schema.about());
        java.line("@SuppressWarnings({\"unused\", \"UnusedVariable\"})");
        java.open("public final class " + schema.className() + " implements Message");
        var valid = schema.validVersions();
        java.line("public static final short LOWEST_SUPPORTED_VERSION = " + valid.lowest() + ";");
        java.line("public static final short HIGHEST_SUPPORTED_VERSION = " + valid.highest() + ";");
        java.line();
        body(schema.className(), schema.fields(), valid, true);
        for (var struct : schema.structs()) {
            var versions = valid.intersect(struct.versions());
            java.line();
            java.doc(struct.about());
            java.open("public static final class " + struct.name());
            body(struct.name(), struct.fields(), versions.isEmpty() ? valid : versions, false);
            java.close();
        }
        java.close();
        return java.toString();
    }

    private void body(String className, List<FieldSchema> fields, VersionRange versions, boolean message) {
        for (var field : fields) {
            java.line("private " + declaredType(field) + " " + field.javaName() + ";");
        }
        java.line("private @Nullable RawTaggedFields unknownTaggedFields;").line();

        java.open("public " + className + "()");
        fields.forEach(field -> java.line("this." + field.javaName() + " = " + defaultValue(field) + ";"));
        java.close().line();

        java.open("public " + className + "(Readable in, short version)");
        java.line("read(in, version);");
        java.close().line();

        if (message) {
            constant("short", "apiKey", Integer.toString(schema.apiKey()));
            constant("short", "lowestSupportedVersion", "LOWEST_SUPPORTED_VERSION");
            constant("short", "highestSupportedVersion", "HIGHEST_SUPPORTED_VERSION");
        }
        read(className, fields, versions, message);
        write(className, fields, versions, message);
        accessors(className, fields);
        isDefault(fields);
        if (schema.kind() == MessageSchema.Kind.RESPONSE && fields.stream().anyMatch(this::hasErrorCode)) {
            errorCodes(fields, message);
        }
        equality(className, fields);
        text(className, fields);
    }

    private void constant(String type, String name, String value) {
        java.line("@Override");
        java.open("public " + type + " " + name + "()");
        java.line("return " + value + ";");
        java.close().line();
    }

    // ---- reading

    private void read(String className, List<FieldSchema> fields, VersionRange versions, boolean message) {
        if (message) {
            java.line("@Override");
        }
        java.open("public void read(Readable in, short version)");
        if (message) {
            java.line("WireFormat.checkReadable(\"" + className
                    + "\", version, LOWEST_SUPPORTED_VERSION, HIGHEST_SUPPORTED_VERSION);");
        }
        var flexible = declareFlexible(versions);
        for (var field : fields) {
            var inline = field.inlineVersions().condition(versions);
            branch(
                    inline,
                    () -> readField(field, versions),
                    () -> java.line("this." + field.javaName() + " = " + defaultValue(field) + ";"));
        }
        java.line("this.unknownTaggedFields = null;");
        branch(flexible, () -> readTagged(fields, versions), () -> {});
        java.close().line();
    }

    private void readTagged(List<FieldSchema> fields, VersionRange versions) {
        java.line("int taggedFields = WireFormat.readTaggedFieldCount(in);");
        java.open("for (int t = 0; t < taggedFields; t++)");
        java.line("int tag = in.readUnsignedVarint();");
        java.line("int size = WireFormat.readTaggedFieldSize(in);");
        var tagged = tagged(fields, versions);
        if (tagged.isEmpty()) {
            java.line("this.unknownTaggedFields = in.addRaw(this.unknownTaggedFields, tag, size);");
        } else {
            java.line("int end = in.remaining() - size;");
            java.open("switch (tag)");
            for (var field : tagged) {
                java.open("case " + field.tag() + " ->");
                branch(
                        field.taggedVersions().condition(versions),
                        () -> readField(field, versions),
                        () -> java.line("this.unknownTaggedFields = in.addRaw(this.unknownTaggedFields, tag, size);"));
                java.close();
            }
            java.line("default -> this.unknownTaggedFields = in.addRaw(this.unknownTaggedFields, tag, size);");
            java.close();
            java.line("WireFormat.checkTaggedFieldEnd(in, tag, end);");
        }
        java.close();
    }

    private void readField(FieldSchema field, VersionRange versions) {
        var target = "this." + field.javaName();
        var known = versions.intersect(field.versions());
        var nullable = field.nullableVersions().condition(known);
        var flexible = flexibleExpression(field, versions);
        var name = "\"" + field.javaName() + "\"";
        if (field.type() instanceof Array(FieldType element)) {
            java.open("");
            var minimum = minimumSize(element, known, field);
            java.line("int count = "
                    + choose(
                            nullable,
                            "WireFormat.readNullableArrayLength(in, " + flexible + ", " + minimum + ", " + name + ")",
                            "WireFormat.readArrayLength(in, " + flexible + ", " + minimum + ", " + name + ")")
                    + ";");
            if (!nullable.equals("false")) {
                java.open("if (count < 0)");
                java.line(target + " = null;");
                java.middle("else");
            }
            var list = field.type().javaName().substring("List".length());
            java.line("var list = new ArrayList" + list + "(WireFormat.initialCapacity(count));");
            java.open("for (int i = 0; i < count; i++)");
            java.line("list.add(" + readExpression(element, flexible, "false", name) + ");");
            java.close();
            java.line(target + " = list;");
            if (!nullable.equals("false")) {
                java.close();
            }
            java.close();
        } else {
            java.line(target + " = " + readExpression(field.type(), flexible, nullable, name) + ";");
        }
    }

    private static String readExpression(FieldType type, String flexible, String nullable, String name) {
        return switch (type) {
            case Fixed fixed -> fixed.readExpression();
            case Text text -> readLength("String", flexible, nullable, name);
            case Bytes bytes -> readLength("Bytes", flexible, nullable, name);
            case Records records -> readLength("Records", flexible, nullable, name);
            case Struct(String struct) ->
                choose(
                        nullable,
                        "(WireFormat.readPresence(in) ? new " + struct + "(in, version) : null)",
                        "new " + struct + "(in, version)");
            case Array array -> throw new IllegalStateException("arrays are read by a loop");
        };
    }

    private static String readLength(String what, String flexible, String nullable, String name) {
        var arguments = "(in, " + flexible + ", " + name + ")";
        return choose(nullable, "WireFormat.readNullable" + what + arguments, "WireFormat.read" + what + arguments);
    }

    // ---- writing

    private void write(String className, List<FieldSchema> fields, VersionRange versions, boolean message) {
        if (message) {
            java.line("@Override");
        }
        java.open("public void write(Writable out, short version)");
        if (message) {
            java.line("WireFormat.checkWritable(\"" + className
                    + "\", version, LOWEST_SUPPORTED_VERSION, HIGHEST_SUPPORTED_VERSION);");
        }
        var flexible = declareFlexible(versions);
        for (var field : fields) {
            var present = field.versions().condition(versions);
            var inline = field.inlineVersions().condition(versions);
            if (!field.ignorable() && !present.equals("true")) {
                java.open("if (" + (present.equals("false") ? "" : "!(" + present + ") && ") + "(" + nonDefault(field)
                        + "))");
                java.line("throw new UnsupportedFieldException(\"" + className + "." + field.javaName()
                        + " is set, but version \" + version + \" has no such field\");");
                java.close();
            }
            branch(inline, () -> writeValue(field, versions), () -> {});
        }
        branch(flexible, () -> writeTagged(fields, versions), () -> {
            java.open("if (this.unknownTaggedFields != null)");
            java.line("throw new UnsupportedFieldException(\"" + className
                    + " holds tagged fields, but version \" + version + \" is not flexible\");");
            java.close();
        });
        java.close().line();

        for (var field : tagged(fields, versions)) {
            if (!(field.type() instanceof Fixed)) {
                java.open("private void " + taggedMethod(field) + "(Writable out, short version)");
                writeValue(field, versions.intersect(field.taggedVersions()));
                java.close().line();
            }
        }
    }

    private void writeTagged(List<FieldSchema> fields, VersionRange versions) {
        var tagged = tagged(fields, versions);
        if (tagged.isEmpty()) {
            java.line("WireFormat.writeTaggedFields(out, this.unknownTaggedFields);");
            return;
        }
        java.line("int taggedFields = WireFormat.countTaggedFields(this.unknownTaggedFields);");
        for (var field : tagged) {
            java.open("if (" + isWritten(field, versions) + ")");
            java.line("taggedFields++;");
            java.close();
        }
        java.line("out.writeUnsignedVarint(taggedFields);");
        java.line("int unknown = 0;");
        for (var field : tagged) {
            java.open("if (" + isWritten(field, versions) + ")");
            java.line("unknown = WireFormat.writeTaggedFieldsBelow(out, this.unknownTaggedFields, unknown, "
                    + field.tag() + ");");
            java.line("out.writeUnsignedVarint(" + field.tag() + ");");
            if (field.type() instanceof Fixed fixed) {
                java.line("out.writeUnsignedVarint(" + fixed.size() + ");");
                writeValue(field, versions);
            } else {
                java.line("var size = new SizeCounter();");
                java.line(taggedMethod(field) + "(size, version);");
                java.line("out.writeUnsignedVarint(size.size());");
                java.line(taggedMethod(field) + "(out, version);");
            }
            java.close();
        }
        java.line("WireFormat.writeTaggedFieldsBelow(out, this.unknownTaggedFields, unknown, Integer.MAX_VALUE);");
    }

    private static String isWritten(FieldSchema field, VersionRange versions) {
        var condition = field.taggedVersions().condition(versions);
        return (condition.equals("true") ? "" : condition + " && ") + "(" + nonDefault(field) + ")";
    }

    private static String taggedMethod(FieldSchema field) {
        return "writeTagged" + field.name();
    }

    private void writeValue(FieldSchema field, VersionRange versions) {
        var value = "this." + field.javaName();
        var nullable = field.nullableVersions().condition(versions.intersect(field.versions()));
        var flexible = flexibleExpression(field, versions);
        var name = "\"" + field.javaName() + "\"";
        if (field.type() instanceof Array(FieldType element)) {
            java.line("WireFormat.writeArrayLength(out, " + nullable + ", " + flexible + ", " + value + ", " + name
                    + ");");
            if (field.nullable()) {
                java.open("if (" + value + " != null)");
            }
            java.open("for (int i = 0, n = " + value + ".size(); i < n; i++)");
            java.line(writeStatement(element, value + ".get(i)", flexible, "false", name));
            java.close();
            if (field.nullable()) {
                java.close();
            }
        } else if (field.type() instanceof Struct && field.nullable()) {
            java.line("WireFormat.writePresence(out, " + nullable + ", " + value + " != null, " + name + ");");
            java.open("if (" + value + " != null)");
            java.line(value + ".write(out, version);");
            java.close();
        } else {
            java.line(writeStatement(field.type(), value, flexible, nullable, name));
        }
    }

    private static String writeStatement(FieldType type, String value, String flexible, String nullable, String name) {
        return switch (type) {
            case Fixed fixed -> fixed.writeStatement(value);
            case Text text -> writeLength("String", value, flexible, nullable, name);
            case Bytes bytes -> writeLength("Bytes", value, flexible, nullable, name);
            case Records records -> writeLength("Records", value, flexible, nullable, name);
            case Struct struct -> value + ".write(out, version);";
            case Array array -> throw new IllegalStateException("arrays are written by a loop");
        };
    }

    /// A few schemas begin a field's name with a small letter.
    private static String capitalised(String name) {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    private static String writeLength(String what, String value, String flexible, String nullable, String name) {
        return "WireFormat.write" + what + "(out, " + nullable + ", " + flexible + ", " + value + ", " + name + ");";
    }

    // ---- the rest of the class

    private void accessors(String className, List<FieldSchema> fields) {
        for (var field : fields) {
            var name = field.javaName();
            java.doc(field.about());
            java.open("public " + declaredType(field) + " " + name + "()");
            java.line("return this." + name + ";");
            java.close().line();
            java.open(
                    "public " + className + " set" + capitalised(field.name()) + "(" + declaredType(field) + " value)");
            if (field.type() == Fixed.UINT16) {
                java.line("WireFormat.checkUnsigned(value, 0xFFFFL, \"" + name + "\");");
            } else if (field.type() == Fixed.UINT32) {
                java.line("WireFormat.checkUnsigned(value, 0xFFFFFFFFL, \"" + name + "\");");
            }
            java.line("this." + name + " = value;");
            java.line("return this;");
            java.close().line();
        }
        java.doc("Tagged fields of newer releases that were read along and will be written back.");
        java.open("public List<RawTaggedFields.Field> unknownTaggedFields()");
        java.line("return this.unknownTaggedFields == null ? List.of() : this.unknownTaggedFields.fields();");
        java.close().line();
    }

    private void isDefault(List<FieldSchema> fields) {
        java.open("boolean isDefault()");
        java.line("return this.unknownTaggedFields == null"
                + String.join(
                        "",
                        fields.stream()
                                .map(field -> " && !(" + nonDefault(field) + ")")
                                .toList())
                + ";");
        java.close().line();
    }

    // ---- error codes

    private void errorCodes(List<FieldSchema> fields, boolean message) {
        if (message) {
            java.line("@Override");
        }
        java.open((message ? "public " : "") + "void errorCodes(ErrorCodes into)");
        for (var field : fields) {
            if (!hasErrorCode(field)) {
                continue;
            }
            var value = "this." + field.javaName();
            if (isErrorCode(field)) {
                java.open("if (" + value + " != 0)");
                java.line("into.add(" + value + ");");
                java.close();
                continue;
            }
            if (field.nullable()) {
                java.open("if (" + value + " != null)");
            }
            if (field.type() instanceof Array) {
                java.open("for (int i = 0, n = " + value + ".size(); i < n; i++)");
                java.line(value + ".get(i).errorCodes(into);");
                java.close();
            } else {
                java.line(value + ".errorCodes(into);");
            }
            if (field.nullable()) {
                java.close();
            }
        }
        java.close().line();
    }

    /// Whether the field is an error code or holds structs that have one.
    private boolean hasErrorCode(FieldSchema field) {
        var type = field.type() instanceof Array(FieldType element) ? element : field.type();
        if (type instanceof Struct(String name)) {
            var struct = schema.struct(name);
            return struct != null && struct.fields().stream().anyMatch(this::hasErrorCode);
        }
        return isErrorCode(field);
    }

    private static boolean isErrorCode(FieldSchema field) {
        return field.type() == Fixed.INT16 && field.name().endsWith("ErrorCode");
    }

    private void equality(String className, List<FieldSchema> fields) {
        java.line("@Override");
        java.open("public boolean equals(@Nullable Object object)");
        java.line("return object instanceof " + className + " other");
        for (var field : fields) {
            var name = field.javaName();
            java.line("    && "
                    + switch (field.type()) {
                        case Fixed.UUID -> "this." + name + ".equals(other." + name + ")";
                        case Fixed.FLOAT64 -> "Double.compare(this." + name + ", other." + name + ") == 0";
                        case Fixed fixed -> "this." + name + " == other." + name;
                        case Bytes bytes -> "Arrays.equals(this." + name + ", other." + name + ")";
                        default -> "Objects.equals(this." + name + ", other." + name + ")";
                    });
        }
        java.line("    && Objects.equals(this.unknownTaggedFields, other.unknownTaggedFields);");
        java.close().line();

        java.line("@Override");
        java.open("public int hashCode()");
        java.line("int hash = 0;");
        for (var field : fields) {
            var name = "this." + field.javaName();
            var hash = switch (field.type()) {
                case Fixed.UUID -> name + ".hashCode()";
                case Fixed fixed -> fixed.boxedName() + ".hashCode(" + name + ")";
                case Bytes bytes -> "Arrays.hashCode(" + name + ")";
                default -> "Objects.hashCode(" + name + ")";
            };
            java.line("hash = 31 * hash + " + hash + ";");
        }
        java.line("return hash;");
        java.close().line();
    }

    private void text(String className, List<FieldSchema> fields) {
        java.line("@Override");
        java.open("public String toString()");
        var parts = new StringBuilder("return \"" + className + "(");
        var separator = "";
        for (var field : fields) {
            var value = field.type() instanceof Bytes
                    ? "WireFormat.describe(this." + field.javaName() + ")"
                    : "this." + field.javaName();
            parts.append(separator)
                    .append(field.javaName())
                    .append("=\" + ")
                    .append(value)
                    .append(" + \"");
            separator = ", ";
        }
        java.line(parts.append(")\";").toString());
        java.close();
    }

    // ---- pieces

    /// Declares the local `flexible` where versions differ and returns the condition that holds in flexible versions.
    private String declareFlexible(VersionRange versions) {
        var condition = schema.flexibleVersions().condition(versions);
        if (condition.equals("true") || condition.equals("false")) {
            return condition;
        }
        java.line("boolean flexible = " + condition + ";");
        return "flexible";
    }

    private String flexibleExpression(FieldSchema field, VersionRange versions) {
        var own = field.flexibleVersions();
        return "(" + (own == null ? schema.flexibleVersions() : own).condition(versions) + ")";
    }

    private static String choose(String condition, String ifTrue, String ifFalse) {
        return switch (condition) {
            case "true" -> ifTrue;
            case "false" -> ifFalse;
            default -> "((" + condition + ") ? " + ifTrue + " : " + ifFalse + ")";
        };
    }

    private void branch(String condition, Runnable ifTrue, Runnable ifFalse) {
        switch (condition) {
            case "true" -> ifTrue.run();
            case "false" -> ifFalse.run();
            default -> {
                java.open("if (" + condition + ")");
                ifTrue.run();
                java.middle("else");
                ifFalse.run();
                java.close();
            }
        }
    }

    private static List<FieldSchema> tagged(List<FieldSchema> fields, VersionRange versions) {
        return fields.stream()
                .filter(field -> !field.taggedVersions().intersect(versions).isEmpty())
                .sorted(Comparator.comparingInt(FieldSchema::tag))
                .toList();
    }

    private static String declaredType(FieldSchema field) {
        var type = field.type().javaName();
        if (!field.nullable()) {
            return type;
        }
        return field.type() instanceof Bytes ? "byte @Nullable []" : "@Nullable " + type;
    }

    private static String defaultValue(FieldSchema field) {
        if (field.defaultsToNull()) {
            return "null";
        }
        var text = field.defaultText();
        return switch (field.type()) {
            case Fixed.BOOL -> text == null || text.isEmpty() ? "false" : Boolean.toString(Boolean.parseBoolean(text));
            case Fixed.INT8 -> "(byte) " + integer(text, 8, false);
            case Fixed.INT16 -> "(short) " + integer(text, 16, false);
            case Fixed.UINT16 -> Long.toString(integer(text, 16, true));
            case Fixed.INT32 -> Long.toString(integer(text, 32, false));
            case Fixed.UINT32 -> integer(text, 32, true) + "L";
            case Fixed.INT64 -> integer(text, 64, false) + "L";
            case Fixed.FLOAT64 -> text == null || text.isEmpty() ? "0.0" : Double.toString(Double.parseDouble(text));
            case Fixed.UUID -> {
                if (text != null && !text.isEmpty()) {
                    throw new SchemaException("field " + field.name() + ": a uuid has no default but zero");
                }
                yield "Uuid.ZERO";
            }
            case Text string -> "\"" + escape(text == null ? "" : text) + "\"";
            case Bytes bytes -> "WireFormat.NO_BYTES";
            case Records records -> "null";
            case Struct(String struct) -> "new " + struct + "()";
            case Array array -> "new ArrayList<>()";
        };
    }

    private static long integer(@Nullable String text, int bits, boolean unsigned) {
        if (text == null || text.isEmpty()) {
            return 0;
        }
        long value = Long.decode(text);
        long lowest = unsigned ? 0 : -1L << (bits - 1);
        long highest = unsigned ? (1L << bits) - 1 : ~lowest;
        if (value < lowest || value > highest) {
            throw new SchemaException("default " + text + " does not fit in " + bits + " bits");
        }
        return value;
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    /// The Java condition that the field does not hold its default.
    private static String nonDefault(FieldSchema field) {
        var value = "this." + field.javaName();
        if (field.defaultsToNull()) {
            return value + " != null";
        }
        var orNull = field.nullable() ? value + " == null || " : "";
        return switch (field.type()) {
            case Fixed.BOOL -> defaultValue(field).equals("true") ? "!" + value : value;
            case Fixed.UUID -> "!Uuid.ZERO.equals(" + value + ")";
            case Fixed fixed -> value + " != " + defaultValue(field);
            case Text text -> "!" + defaultValue(field) + ".equals(" + value + ")";
            case Bytes bytes -> orNull + value + ".length != 0";
            case Records records -> value + " != null";
            case Struct struct -> orNull + "!" + value + ".isDefault()";
            case Array array -> orNull + "!" + value + ".isEmpty()";
        };
    }

    /// The fewest bytes an element takes in any of the versions; what a count is checked against.
    private int minimumSize(FieldType type, VersionRange versions, FieldSchema field) {
        int minimum = Integer.MAX_VALUE;
        for (int version = versions.lowest(); version <= versions.highest(); version++) {
            var own = field.flexibleVersions();
            boolean flexible = (own == null ? schema.flexibleVersions() : own).contains(version);
            minimum = Math.min(minimum, minimumSize(type, version, flexible));
        }
        return minimum;
    }

    private int minimumSize(FieldType type, int version, boolean flexible) {
        return switch (type) {
            case Fixed fixed -> fixed.size();
            case Text text -> flexible ? 1 : 2;
            case Bytes bytes -> flexible ? 1 : 4;
            case Records records -> flexible ? 1 : 4;
            case Array array -> flexible ? 1 : 4;
            case Struct(String name) -> {
                var struct = schema.struct(name);
                if (struct == null) {
                    throw new SchemaException("unknown struct " + name);
                }
                int size = schema.flexibleVersions().contains(version) ? 1 : 0;
                for (var field : struct.fields()) {
                    if (field.inlineVersions().contains(version)) {
                        var own = field.flexibleVersions();
                        boolean fieldFlexible = (own == null ? schema.flexibleVersions() : own).contains(version);
                        size += field.type() instanceof Struct
                                        && field.nullableVersions().contains(version)
                                ? 1
                                : minimumSize(field.type(), version, fieldFlexible);
                    }
                }
                yield size;
            }
        };
    }
}
