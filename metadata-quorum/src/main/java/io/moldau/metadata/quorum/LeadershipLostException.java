package io.moldau.metadata.quorum;

import org.jspecify.annotations.Nullable;

/// A batch was not, or not known to be, committed: this node does not lead in the batch's epoch any more. Whether the
/// batch takes effect is unknown.
public final class LeadershipLostException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LeadershipLostException(String message, @Nullable Throwable cause) {
        super(message, cause, false, false);
    }
}
