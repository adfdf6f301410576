package io.moldau.broker.api.controller;

import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.wire.protocol.Message;
import java.util.Objects;
import java.util.function.ToLongFunction;

/// An API that the active controller answers and to which this node has nothing to add: ElectLeaders
/// (KIP-183, KIP-460), AlterPartitionReassignments and ListPartitionReassignments (KIP-455),
/// UnregisterBroker, UnregisterController, UpdateFeatures (KIP-584), DescribeQuorum (KIP-595),
/// AddRaftVoter, RemoveRaftVoter and UpdateRaftVoter (KIP-853), ControllerRegistration (KIP-919).
///
/// Its response has a place for one error, see [io.moldau.broker.request.ErrorResponses].
public final class ForwardingHandler<Q extends Message> implements RequestHandler<Q> {

    /// How long a request may take that has no time-out of its own.
    private static final long DEFAULT_TIMEOUT_MS = 30_000;

    private final Forwarder forwarder;
    private final ToLongFunction<Q> timeoutMs;

    public ForwardingHandler(Forwarder forwarder) {
        this(forwarder, request -> DEFAULT_TIMEOUT_MS);
    }

    /// @param timeoutMs how long the client waits for the answer to its request
    public ForwardingHandler(Forwarder forwarder, ToLongFunction<Q> timeoutMs) {
        this.forwarder = forwarder;
        this.timeoutMs = timeoutMs;
    }

    @Override
    public void handle(RequestContext context, Q request) {
        forwarder.forward(
                context,
                request,
                timeoutMs.applyAsLong(request),
                context::respond,
                failure -> context.respond(Objects.requireNonNull(errorResponse(context, request, failure))));
    }
}
