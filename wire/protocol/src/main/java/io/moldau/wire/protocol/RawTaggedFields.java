package io.moldau.wire.protocol;

import java.util.ArrayList;
import java.util.Arrays;
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

    void add(int tag, byte[] value) {
        fields.add(new Field(tag, value));
    }

    public List<Field> fields() {
        return fields;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RawTaggedFields that && fields.equals(that.fields);
    }

    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    @Override
    public String toString() {
        return fields.toString();
    }
}
