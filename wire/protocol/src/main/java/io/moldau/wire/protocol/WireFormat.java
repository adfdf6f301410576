package io.moldau.wire.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The lengths, nulls and tagged fields that generated messages have in common.
///
/// Lengths come in two forms. In flexible versions (KIP-482) a length is an unsigned varint, one above the length, and
/// 0
/// means null. Before, it is an int16 for strings and an int32 for everything else, and -1 means null.
public final class WireFormat {

    public static final byte[] NO_BYTES = new byte[0];

    private static final int MAX_STRING_BYTES = Short.MAX_VALUE;
    private static final int MAX_INITIAL_CAPACITY = 1024;

    private WireFormat() {}

    public static void checkReadable(String message, short version, short lowest, short highest) {
        if (version < lowest || version > highest) {
            throw new MalformedMessageException(
                    message + " has versions " + lowest + " to " + highest + " and cannot be read in " + version);
        }
    }

    public static void checkWritable(String message, short version, short lowest, short highest) {
        if (version < lowest || version > highest) {
            throw new UnsupportedFieldException(
                    message + " has versions " + lowest + " to " + highest + " and cannot be written in " + version);
        }
    }

    public static void checkUnsigned(long value, long highest, String field) {
        if (value < 0 || value > highest) {
            throw new IllegalArgumentException(field + " must lie between 0 and " + highest + " but is " + value);
        }
    }

    // ---- reading

    public static String readString(Readable in, boolean flexible, String field) {
        return in.readString(stringLength(notNull(stringPrefix(in, flexible), field), field));
    }

    public static @Nullable String readNullableString(Readable in, boolean flexible, String field) {
        int length = stringPrefix(in, flexible);
        return length == -1 ? null : in.readString(stringLength(length, field));
    }

    public static byte[] readBytes(Readable in, boolean flexible, String field) {
        return in.readBytes(in.checkCount(notNull(prefix(in, flexible), field), 1, field));
    }

    public static byte @Nullable [] readNullableBytes(Readable in, boolean flexible, String field) {
        int length = prefix(in, flexible);
        return length == -1 ? null : in.readBytes(in.checkCount(length, 1, field));
    }

    public static RecordBytes readRecords(Readable in, boolean flexible, String field) {
        return in.readRecords(in.checkCount(notNull(prefix(in, flexible), field), 1, field));
    }

    public static @Nullable RecordBytes readNullableRecords(Readable in, boolean flexible, String field) {
        int length = prefix(in, flexible);
        return length == -1 ? null : in.readRecords(in.checkCount(length, 1, field));
    }

    public static int readArrayLength(Readable in, boolean flexible, int minimumSize, String field) {
        return in.checkCount(notNull(prefix(in, flexible), field), minimumSize, field);
    }

    /// The number of elements, or -1 for null.
    public static int readNullableArrayLength(Readable in, boolean flexible, int minimumSize, String field) {
        int length = prefix(in, flexible);
        return length == -1 ? -1 : in.checkCount(length, minimumSize, field);
    }

    /// How much a list for `count` elements may reserve before the first one is read.
    public static int initialCapacity(int count) {
        return Math.min(count, MAX_INITIAL_CAPACITY);
    }

    /// Whether a nullable struct follows.
    public static boolean readPresence(Readable in) {
        return in.readByte() >= 0;
    }

    public static int readTaggedFieldCount(Readable in) {
        // A tagged field takes at least its tag and its size.
        return in.checkCount(in.readUnsignedVarint(), 2, "tagged fields");
    }

    public static int readTaggedFieldSize(Readable in) {
        return in.checkCount(in.readUnsignedVarint(), 1, "tagged field");
    }

    public static void checkTaggedFieldEnd(Readable in, int tag, int expectedRemaining) {
        if (in.remaining() != expectedRemaining) {
            throw new MalformedMessageException("tagged field " + tag + " ends " + (expectedRemaining - in.remaining())
                    + " bytes after where its size says");
        }
    }

    private static int stringPrefix(Readable in, boolean flexible) {
        return flexible ? in.readUnsignedVarint() - 1 : in.readShort();
    }

    private static int prefix(Readable in, boolean flexible) {
        return flexible ? in.readUnsignedVarint() - 1 : in.readInt();
    }

    private static int notNull(int length, String field) {
        if (length == -1) {
            throw new MalformedMessageException("field " + field + " is null but must not be");
        }
        return length;
    }

    private static int stringLength(int length, String field) {
        if (length < 0 || length > MAX_STRING_BYTES) {
            throw new MalformedMessageException("string field " + field + " has the impossible length " + length);
        }
        return length;
    }

    // ---- writing

    public static void writeString(
            Writable out, boolean nullable, boolean flexible, @Nullable String value, String field) {
        if (value == null) {
            checkNullable(nullable, field);
            if (flexible) {
                out.writeUnsignedVarint(0);
            } else {
                out.writeShort(-1);
            }
            return;
        }
        int length = Utf8.length(value);
        if (length > MAX_STRING_BYTES) {
            throw new IllegalArgumentException(
                    "field " + field + " takes " + length + " bytes, a string can take " + MAX_STRING_BYTES);
        }
        if (flexible) {
            out.writeUnsignedVarint(length + 1);
        } else {
            out.writeShort(length);
        }
        out.writeUtf8(value, length);
    }

    public static void writeBytes(
            Writable out, boolean nullable, boolean flexible, byte @Nullable [] value, String field) {
        if (value == null) {
            writeNull(out, nullable, flexible, field);
        } else {
            writePrefix(out, flexible, value.length);
            out.writeBytes(value);
        }
    }

    public static void writeRecords(
            Writable out, boolean nullable, boolean flexible, @Nullable RecordBytes value, String field) {
        if (value == null) {
            writeNull(out, nullable, flexible, field);
        } else {
            writePrefix(out, flexible, value.sizeInBytes());
            out.writeRecords(value);
        }
    }

    public static void writeArrayLength(
            Writable out, boolean nullable, boolean flexible, @Nullable List<?> value, String field) {
        if (value == null) {
            writeNull(out, nullable, flexible, field);
        } else {
            writePrefix(out, flexible, value.size());
        }
    }

    /// Writes whether a struct follows, where it may be missing.
    public static void writePresence(Writable out, boolean nullable, boolean present, String field) {
        if (nullable) {
            out.writeByte(present ? 1 : -1);
        } else if (!present) {
            checkNullable(false, field);
        }
    }

    public static int countTaggedFields(@Nullable RawTaggedFields unknown) {
        return unknown == null ? 0 : unknown.fields().size();
    }

    /// Writes the section of tagged fields of a struct that has none of its own.
    public static void writeTaggedFields(Writable out, @Nullable RawTaggedFields unknown) {
        out.writeUnsignedVarint(countTaggedFields(unknown));
        writeTaggedFieldsBelow(out, unknown, 0, Integer.MAX_VALUE);
    }

    /// Writes the fields with tags below `tag`, beginning with the field at `index`; they are kept in order of tags.
    ///
    /// @return the index of the first field that is still to be written
    public static int writeTaggedFieldsBelow(Writable out, @Nullable RawTaggedFields unknown, int index, int tag) {
        if (unknown == null) {
            return index;
        }
        var fields = unknown.fields();
        int next = index;
        while (next < fields.size() && (fields.get(next).tag() < tag || tag == Integer.MAX_VALUE)) {
            var field = fields.get(next++);
            out.writeUnsignedVarint(field.tag());
            out.writeUnsignedVarint(field.value().length);
            out.writeBytes(field.value());
        }
        return next;
    }

    /// Bytes may be secrets or payload, so only their number is shown.
    public static String describe(byte @Nullable [] bytes) {
        return bytes == null ? "null" : "byte[" + bytes.length + "]";
    }

    private static void writeNull(Writable out, boolean nullable, boolean flexible, String field) {
        checkNullable(nullable, field);
        if (flexible) {
            out.writeUnsignedVarint(0);
        } else {
            out.writeInt(-1);
        }
    }

    private static void writePrefix(Writable out, boolean flexible, int length) {
        if (flexible) {
            out.writeUnsignedVarint(length + 1);
        } else {
            out.writeInt(length);
        }
    }

    private static void checkNullable(boolean nullable, String field) {
        if (!nullable) {
            throw new UnsupportedFieldException("field " + field + " is null, which this version cannot say");
        }
    }
}
