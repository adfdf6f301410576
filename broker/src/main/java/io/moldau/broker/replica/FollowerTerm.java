package io.moldau.broker.replica;

/// Whom a replica follows, and in which leader epoch. A step taken under another term is not carried out.
public record FollowerTerm(int leaderId, int leaderEpoch) {}
