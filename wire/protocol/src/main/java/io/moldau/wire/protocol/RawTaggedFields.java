package io.moldau.wire.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Tagged fields that this release does not know (KIP-482), kept so that they survive being passed on.
public final class RawTaggedFields {

    /// One field: its tag and its undecoded value.
    @SuppressWarnings("ArrayRecordComponent") // equality is spelled out below
    public record Field(int tag, byte[] value) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Field(int otherTag, byte[] otherValue)
                    && tag == otherTag
                    && Arrays.equals(value, otherValue);
        }

        @Override
        public int hashCode() {
            return 31 * tag + Arrays.hashCode(value);
        }
    }

    private final List<Field> fields = new ArrayList<>();
    private boolean sorted = true;

    void add(int tag, byte[] value) {
        sorted &= fields.isEmpty() || fields.getLast().tag() <= tag;
        fields.add(new Field(tag, value));
    }

    /// The fields in order of their tags, which is how they are written.
    public List<Field> fields() {
        // Sorted once at the end: a peer that sends many in descending order must not cost a shift each.
        if (!sorted) {
            fields.sort(Comparator.comparingInt(Field::tag));
            sorted = true;
        }
        return Collections.unmodifiableList(fields);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RawTaggedFields that && fields().equals(that.fields());
    }

    @Override
    public int hashCode() {
        return fields().hashCode();
    }

    @Override
    public String toString() {
        return fields().toString();
    }
}
