package io.moldau.common;

import org.jspecify.annotations.Nullable;

/// An error code with the text a client is shown; the text is null when there is no error or nothing to add.
public record ApiError(Errors error, @Nullable String message) {

    public static final ApiError NONE = new ApiError(Errors.NONE, null);

    /// The error with its default message.
    public static ApiError of(Errors error) {
        return error == Errors.NONE ? NONE : new ApiError(error, error.defaultMessage());
    }

    public boolean isFailure() {
        return error != Errors.NONE;
    }

    public short code() {
        return error.code();
    }

    public String messageOrDefault() {
        return message == null ? error.defaultMessage() : message;
    }

    /// @throws IllegalArgumentException if this is no failure
    public ApiException exception() {
        return new ApiException(error, messageOrDefault());
    }
}
