package io.moldau.common;

/// A request, or one part of it, fails with an error code the client is told.
///
/// Thrown while planning an answer and turned into one by whoever dispatched the request. It is an answer and not a
/// fault, so it carries no stack trace.
public final class ApiException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Errors error;
    private final String text;

    /// @throws IllegalArgumentException if `error` is [Errors#NONE]
    public ApiException(Errors error, String message) {
        super(message, null, false, false);
        if (error == Errors.NONE) {
            throw new IllegalArgumentException("NONE is not a failure: " + message);
        }
        this.error = error;
        this.text = message;
    }

    public ApiException(Errors error) {
        this(error, error.defaultMessage());
    }

    public Errors error() {
        return error;
    }

    @Override
    public String getMessage() {
        return text;
    }

    public ApiError toApiError() {
        return new ApiError(error, text);
    }
}
