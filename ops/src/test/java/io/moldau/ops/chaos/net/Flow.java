package io.moldau.ops.chaos.net;

/// How bytes get along one direction of a link.
public sealed interface Flow {

    Flow OPEN = new Open();
    Flow CUT = new Cut();

    /// At once.
    record Open() implements Flow {}

    /// Not at all, and nobody is told: bytes wait as in a network that drops packets, and arrive when it heals.
    record Cut() implements Flow {}

    /// Later by this much.
    record Delayed(long millis) implements Flow {}

    /// A few bytes at a time with a pause before each.
    record Drip(int bytes, long pauseMillis) implements Flow {}
}
