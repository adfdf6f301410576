package io.moldau.wire.generator;

/// What a field holds.
sealed interface FieldType {

    /// A value of fixed size.
    enum Fixed implements FieldType {
        BOOL("bool", "boolean", "Boolean", "Boolean", 1),
        INT8("int8", "byte", "Byte", "Byte", 1),
        INT16("int16", "short", "Short", "Short", 2),
        UINT16("uint16", "int", "Integer", "UnsignedShort", 2),
        INT32("int32", "int", "Integer", "Int", 4),
        UINT32("uint32", "long", "Long", "UnsignedInt", 4),
        INT64("int64", "long", "Long", "Long", 8),
        FLOAT64("float64", "double", "Double", "Double", 8),
        UUID("uuid", "Uuid", "Uuid", "Uuid", 16);

        private final String schemaName;
        private final String javaName;
        private final String boxedName;
        private final String accessor;
        private final int size;

        Fixed(String schemaName, String javaName, String boxedName, String accessor, int size) {
            this.schemaName = schemaName;
            this.javaName = javaName;
            this.boxedName = boxedName;
            this.accessor = accessor;
            this.size = size;
        }

        String schemaName() {
            return schemaName;
        }

        String boxedName() {
            return boxedName;
        }

        int size() {
            return size;
        }

        String readExpression() {
            return "in.read" + accessor + "()";
        }

        String writeStatement(String value) {
            return switch (this) {
                case UINT16 -> "out.writeShort(" + value + ");";
                case UINT32 -> "out.writeInt((int) " + value + ");";
                default -> "out.write" + accessor + "(" + value + ");";
            };
        }

        @Override
        public String javaName() {
            return javaName;
        }
    }

    record Text() implements FieldType {
        @Override
        public String javaName() {
            return "String";
        }
    }

    record Bytes() implements FieldType {
        @Override
        public String javaName() {
            return "byte[]";
        }
    }

    record Records() implements FieldType {
        @Override
        public String javaName() {
            return "RecordBytes";
        }
    }

    record Struct(String javaName) implements FieldType {}

    record Array(FieldType element) implements FieldType {
        @Override
        public String javaName() {
            return "List<" + (element instanceof Fixed fixed ? fixed.boxedName() : element.javaName()) + ">";
        }
    }

    /// The Java type of a field.
    String javaName();

    /// Parses a schema's type: a known name, `[]` and an element type, or the name of a struct.
    static FieldType parse(String text) {
        if (text.startsWith("[]")) {
            var element = parse(text.substring(2));
            if (element instanceof Array || element instanceof Bytes || element instanceof Records) {
                throw new SchemaException("arrays of " + text.substring(2) + " are not supported");
            }
            return new Array(element);
        }
        for (var fixed : Fixed.values()) {
            if (fixed.schemaName().equals(text)) {
                return fixed;
            }
        }
        return switch (text) {
            case "string" -> new Text();
            case "bytes" -> new Bytes();
            case "records" -> new Records();
            default -> {
                if (text.isEmpty() || !Character.isUpperCase(text.charAt(0))) {
                    throw new SchemaException("unknown type '" + text + "'");
                }
                yield new Struct(text);
            }
        };
    }
}
