package io.moldau.metadata.controller;

/// Who asks the controller for something, and until when an answer is of use.
///
/// @param principal as the broker authenticated it, such as `User:ANONYMOUS`
/// @param clientAddress for the log
/// @param apiVersion the version of the client's request; answers of some APIs depend on it
/// @param deadlineNanos by [io.moldau.common.time.Time#nanoseconds()]; an operation that has not started by then
///     fails
///     with REQUEST_TIMED_OUT
public record ControllerContext(String principal, String clientAddress, short apiVersion, long deadlineNanos) {

    /// For what the node asks by itself.
    public static ControllerContext internal(long deadlineNanos) {
        return new ControllerContext("User:ANONYMOUS", "", Short.MAX_VALUE, deadlineNanos);
    }

    public ControllerContext withApiVersion(short version) {
        return new ControllerContext(principal, clientAddress, version, deadlineNanos);
    }
}
