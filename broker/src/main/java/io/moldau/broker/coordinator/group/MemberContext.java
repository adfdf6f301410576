package io.moldau.broker.coordinator.group;

/// Who sends a group request.
///
/// @param clientId as the client calls itself, possibly empty
/// @param clientHost address as Kafka shows it, with a leading slash
/// @param apiVersion version of the request, which decides what its answer may contain
public record MemberContext(String clientId, String clientHost, short apiVersion) {}
