package io.moldau.ops.cli;

/// A command that could not do what it was told. The message says what happened to which thing and
/// why; the remedy what the person may do about it.
final class ToolException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String remedy;

    ToolException(String message, String remedy) {
        super(message);
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
