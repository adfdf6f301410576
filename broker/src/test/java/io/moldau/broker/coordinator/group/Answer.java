package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.runtime.Reply;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A reply that remembers its answer and insists on getting one only.
final class Answer<T> implements Reply<T> {

    private @Nullable T value;

    @Override
    public void complete(T response) {
        if (value != null) {
            throw new AssertionError("answered twice: " + value + ", then " + response);
        }
        value = response;
    }

    boolean isThere() {
        return value != null;
    }

    T get() {
        return Objects.requireNonNull(value, "no answer yet");
    }
}
