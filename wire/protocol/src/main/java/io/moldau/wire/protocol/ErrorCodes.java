package io.moldau.wire.protocol;

/// Is told the error codes inside a message.
@FunctionalInterface
public interface ErrorCodes {

    /// @param code of [io.moldau.common.Errors], never 0
    void add(short code);
}
