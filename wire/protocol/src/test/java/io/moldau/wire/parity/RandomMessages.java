package io.moldau.wire.parity;

import io.moldau.common.Uuid;
import io.moldau.wire.parity.MessageClasses.Property;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.RecordBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.jspecify.annotations.Nullable;

/// Fills messages of ours with random values.
final class RandomMessages {

    private static final String[] ALPHABET = {"a", "Z", "0", "-", "é", "ß", "€", "語", "😀", "\u0000", "\"", " "};

    private final RandomGenerator random;

    RandomMessages(RandomGenerator random) {
        this.random = random;
    }

    /// Sets exactly the fields that Kafka's schema of one version names. This is the one place where the test takes
    /// from Kafka which fields a version has and which of them may be null.
    void fill(Object message, Schema schema) {
        for (var bound : schema.fields()) {
            if (bound.def.type instanceof TaggedFields tagged) {
                tagged.fields().values().forEach(field -> fill(message, field.name, field.type, 0.5));
            } else {
                fill(message, bound.def.name, bound.def.type, 1);
            }
        }
    }

    private void fill(Object message, String name, Type type, double probability) {
        var property = MessageClasses.properties(message.getClass()).get(MessageClasses.key(name));
        if (property == null) {
            throw new AssertionError(message.getClass() + " has no field " + name);
        }
        if (random.nextDouble() < probability) {
            property.set(message, value(property, type));
        }
    }

    private @Nullable Object value(Property property, Type type) {
        if (type.isNullable() && random.nextInt(4) == 0) {
            return null;
        }
        var element = type.arrayElementType();
        if (element.isPresent()) {
            var list = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                list.add(
                        element.get() instanceof Schema schema
                                ? struct(property.elementType(), schema)
                                : scalar(property.elementType(), false));
            }
            return list;
        }
        if (type instanceof Schema schema) {
            return struct(property.type(), schema);
        }
        return scalar(property.type(), type == Type.UINT16);
    }

    private Object struct(Class<?> type, Schema schema) {
        var struct = MessageClasses.create(type);
        fill(struct, schema);
        return struct;
    }

    /// Sets each field of any version with the given probability.
    <M extends Message> M sparse(Class<M> type, double probability) {
        var message = MessageClasses.create(type);
        sparse((Object) message, probability);
        return message;
    }

    private void sparse(Object message, double probability) {
        for (var property : MessageClasses.properties(message.getClass()).values()) {
            if (random.nextDouble() < probability) {
                property.set(message, sparseValue(property, probability));
            }
        }
    }

    private @Nullable Object sparseValue(Property property, double probability) {
        var type = property.type();
        if (property.nullable() && random.nextInt(4) == 0) {
            return null;
        }
        if (List.class.isAssignableFrom(type)) {
            var list = new ArrayList<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                list.add(sparseElement(property.elementType(), probability));
            }
            return list;
        }
        return sparseElement(type, probability);
    }

    private Object sparseElement(Class<?> type, double probability) {
        if (MessageClasses.isStruct(type)) {
            var struct = MessageClasses.create(type);
            sparse(struct, probability);
            return struct;
        }
        // Without a schema uint16 and int32 look alike.
        return scalar(type, true);
    }

    private Object scalar(Class<?> type, boolean unsigned) {
        if (type == boolean.class || type == Boolean.class) {
            return random.nextBoolean();
        } else if (type == byte.class || type == Byte.class) {
            return (byte) random.nextInt();
        } else if (type == short.class || type == Short.class) {
            return (short) random.nextInt();
        } else if (type == int.class || type == Integer.class) {
            return unsigned ? random.nextInt(0x10000) : random.nextInt();
        } else if (type == long.class || type == Long.class) {
            return random.nextBoolean() ? random.nextLong() : random.nextLong(100);
        } else if (type == double.class || type == Double.class) {
            return random.nextDouble();
        } else if (type == String.class) {
            return text();
        } else if (type == byte[].class) {
            return bytes();
        } else if (type == Uuid.class) {
            return new Uuid(random.nextLong(), random.nextLong());
        } else if (RecordBytes.class.isAssignableFrom(type)) {
            return HeapRecords.of(bytes());
        }
        throw new AssertionError("no random value for " + type);
    }

    private byte[] bytes() {
        var bytes = new byte[random.nextInt(5) == 0 ? 5000 : random.nextInt(30)];
        random.nextBytes(bytes);
        return bytes;
    }

    private String text() {
        var text = new StringBuilder();
        for (int i = random.nextInt(5) == 0 ? 200 : random.nextInt(10); i > 0; i--) {
            text.append(ALPHABET[random.nextInt(ALPHABET.length)]);
        }
        return text.toString();
    }
}
