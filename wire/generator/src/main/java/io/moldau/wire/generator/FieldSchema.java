package io.moldau.wire.generator;

import org.jspecify.annotations.Nullable;

/// One field of a message or struct as the schema declares it.
///
/// @param defaultText the schema's default, null when it names none
/// @param flexibleVersions overrides the message's flexible versions for this field, null when it does not
/// @param tag the tag in `taggedVersions`, -1 when the field is never tagged
record FieldSchema(
        String name,
        FieldType type,
        VersionRange versions,
        VersionRange nullableVersions,
        VersionRange taggedVersions,
        int tag,
        boolean ignorable,
        @Nullable String defaultText,
        @Nullable VersionRange flexibleVersions,
        String about) {

    FieldSchema {
        if (tag >= 0 == taggedVersions.isEmpty()) {
            throw new SchemaException("field " + name + " needs both tag and taggedVersions or neither");
        }
        boolean mayBeNull = !(type instanceof FieldType.Fixed);
        if (!mayBeNull && !nullableVersions.isEmpty()) {
            throw new SchemaException("field " + name + " has a type that cannot be null");
        }
        if ("null".equals(defaultText)
                && !nullableVersions.contains(versions)
                && !(type instanceof FieldType.Records)) {
            throw new SchemaException("field " + name + " defaults to null but is not nullable in " + versions);
        }
    }

    /// The Java name: the schema's with a small first letter.
    String javaName() {
        return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }

    /// Versions in which the field stands in line and not among the tagged fields.
    VersionRange inlineVersions() {
        return versions.below(taggedVersions);
    }

    /// Whether the Java field may hold null in some version. Records may always: null is their default.
    boolean nullable() {
        return !nullableVersions.isEmpty() || type instanceof FieldType.Records;
    }

    boolean defaultsToNull() {
        return "null".equals(defaultText) || type instanceof FieldType.Records;
    }
}
