package io.moldau.log.producer;

/// Stands for one look at the transaction coordinator, begun before the first batch of a transaction may be appended
/// (KIP-890). The batch must bring the guard it was given: a marker that comes in between makes it worthless, so that
/// no late batch opens a transaction again that the coordinator has ended. Compared by identity.
public final class VerificationGuard {}
