package io.moldau.wire.generator;

/// A schema that cannot be compiled; the message names the schema, the field and the reason.
public final class SchemaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public SchemaException(String message) {
        super(message);
    }
}
