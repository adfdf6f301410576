package io.moldau.wire.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Uuid;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.jspecify.annotations.Nullable;

/// The class of kafka-clients that one of our messages corresponds to.
final class KafkaTwin {

    private final Class<? extends org.apache.kafka.common.protocol.Message> type;

    private KafkaTwin(Class<? extends org.apache.kafka.common.protocol.Message> type) {
        this.type = type;
    }

    static KafkaTwin of(Class<? extends Message> ours) {
        try {
            return new KafkaTwin(Class.forName("org.apache.kafka.common.message." + ours.getSimpleName())
                    .asSubclass(org.apache.kafka.common.protocol.Message.class));
        } catch (ClassNotFoundException e) {
            throw new AssertionError(ours + " has no counterpart", e);
        }
    }

    org.apache.kafka.common.protocol.Message create() {
        return MessageClasses.create(type);
    }

    /// Kafka's own description of a version.
    Schema schema(short version) {
        try {
            return ((Schema[]) type.getField("SCHEMAS").get(null))[version];
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(type + " has no schemas", e);
        }
    }

    org.apache.kafka.common.protocol.Message decode(byte[] bytes, short version) {
        var message = create();
        var in = new ByteBufferAccessor(ByteBuffer.wrap(bytes));
        message.read(in, version);
        assertThat(in.remaining()).as("bytes that Kafka left over").isZero();
        return message;
    }

    static byte[] encode(org.apache.kafka.common.protocol.Message message, short version) {
        var cache = new ObjectSerializationCache();
        var out = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(out), cache, version);
        assertThat(out.hasRemaining())
                .as("bytes that Kafka promised and did not write")
                .isFalse();
        return out.array();
    }

    /// A message of Kafka's with the field values of ours.
    org.apache.kafka.common.protocol.Message copyOf(Message ours) {
        var copy = create();
        copy(ours, copy);
        return copy;
    }

    private static void copy(Object ours, Object theirs) {
        var target = MessageClasses.properties(theirs.getClass());
        MessageClasses.properties(ours.getClass()).forEach((name, property) -> {
            var to = target.get(name);
            if (to == null) {
                throw new AssertionError(theirs.getClass() + " has no field " + name);
            }
            to.set(theirs, convert(property.get(ours), to.type(), to));
        });
    }

    private static @Nullable Object convert(@Nullable Object value, Class<?> type, MessageClasses.Property property) {
        return switch (value) {
            case null -> null;
            case Uuid uuid -> new org.apache.kafka.common.Uuid(uuid.mostSignificantBits(), uuid.leastSignificantBits());
            case byte[] bytes when type == ByteBuffer.class -> ByteBuffer.wrap(bytes);
            case BufferRecords records -> MemoryRecords.readableRecords(records.buffer());
            case List<?> list -> {
                @SuppressWarnings("unchecked")
                var copy = (Collection<@Nullable Object>)
                        (type == List.class ? new java.util.ArrayList<>() : MessageClasses.create(type));
                list.forEach(element -> copy.add(convert(element, property.elementType(), property)));
                yield copy;
            }
            default -> {
                if (MessageClasses.isStruct(value.getClass())) {
                    var struct = MessageClasses.create(type);
                    copy(value, struct);
                    yield struct;
                }
                yield value;
            }
        };
    }

    /// Asserts that both messages hold the same values under the same names, absent fields and defaults included.
    static void assertSame(String path, @Nullable Object ours, @Nullable Object theirs) {
        switch (ours) {
            case null -> assertThat(theirs).as(path).isNull();
            case Uuid uuid -> assertThat(theirs).as(path).hasToString(uuid.toString());
            case byte[] bytes
            when theirs instanceof ByteBuffer buffer ->
                assertThat(buffer).as(path).isEqualTo(ByteBuffer.wrap(bytes));
            case BufferRecords records ->
                assertThat(((MemoryRecords) present(path, theirs)).buffer())
                        .as(path)
                        .isEqualTo(records.buffer());
            case List<?> list -> {
                var others = ((Collection<?>) present(path, theirs)).iterator();
                for (int i = 0; i < list.size(); i++) {
                    assertThat(others.hasNext())
                            .as(path + " has an element " + i)
                            .isTrue();
                    assertSame(path + "[" + i + "]", list.get(i), others.next());
                }
                assertThat(others.hasNext()).as(path + " has more elements").isFalse();
            }
            default -> {
                if (!MessageClasses.isStruct(ours.getClass())) {
                    assertThat(theirs).as(path).isEqualTo(ours);
                    return;
                }
                var properties = MessageClasses.properties(present(path, theirs).getClass());
                MessageClasses.properties(ours.getClass()).forEach((name, property) -> {
                    var other = properties.get(name);
                    assertThat(other).as(path + "." + name).isNotNull();
                    assertSame(path + "." + name, property.get(ours), other.get(present(path, theirs)));
                });
            }
        }
    }

    private static Object present(String path, @Nullable Object value) {
        if (value == null) {
            throw new AssertionError(path + " is null at Kafka's side only");
        }
        return value;
    }
}
