package io.moldau.broker.coordinator.transaction;

import io.moldau.common.ApiError;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Producer ids, each given out once in the life of the cluster: taken from blocks that the controller reserves for
/// this broker, the next of which is asked for before the current one is used up.
///
/// Guarded by its own monitor; callers are told outside it.
public final class ProducerIds {

    /// Waits that may pile up while the controller does not answer.
    private static final int MAX_WAITING = 10_000;

    /// Told the id, or why there is none.
    public interface Callback {
        void allocated(long producerId);

        void failed(ApiError error);
    }

    private final int brokerId;
    private final LongSupplier brokerEpoch;
    private final NodeToController controller;
    private final ArrayDeque<Callback> waiting = new ArrayDeque<>();
    private long next;
    private long end;
    private long reserveFirst;
    private long reserveEnd;
    private int blockSize = 1;
    private boolean asking;

    /// @param brokerEpoch of this broker's current registration
    public ProducerIds(int brokerId, LongSupplier brokerEpoch, NodeToController controller) {
        this.brokerId = brokerId;
        this.brokerEpoch = brokerEpoch;
        this.controller = controller;
    }

    /// Gives out an id: at once on this thread, or when the controller has answered, on a thread of its.
    public void allocate(Callback callback) {
        long id = -1L;
        boolean ask = false;
        boolean full = false;
        synchronized (this) {
            if (next == end && reserveFirst < reserveEnd) {
                next = reserveFirst;
                end = reserveEnd;
                reserveFirst = reserveEnd;
            }
            if (next < end) {
                id = next++;
            } else if (waiting.size() < MAX_WAITING) {
                waiting.add(callback);
            } else {
                full = true;
            }
            boolean low = end - next <= blockSize / 10 && reserveFirst == reserveEnd;
            if (low && !asking) {
                asking = true;
                ask = true;
            }
        }
        if (full) {
            callback.failed(new ApiError(
                    Errors.COORDINATOR_LOAD_IN_PROGRESS, "too many producers wait for the controller's answer"));
        } else if (id >= 0) {
            callback.allocated(id);
        }
        if (ask) {
            askController();
        }
    }

    private void askController() {
        controller
                .allocateProducerIds(AllocateProducerIdsRequest.newBuilder()
                        .setBrokerId(brokerId)
                        .setBrokerEpoch(brokerEpoch.getAsLong())
                        .build())
                .whenComplete(this::answered);
    }

    private void answered(@Nullable AllocateProducerIdsResponse response, @Nullable Throwable failure) {
        if (response != null && response.getErrorCode() == Errors.NONE.code()) {
            taken(response.getFirstProducerId(), response.getCount());
            return;
        }
        List<Callback> failed;
        synchronized (this) {
            asking = false;
            failed = new ArrayList<>(waiting);
            waiting.clear();
        }
        // What the client can do about it is the same whatever the controller said: ask again.
        String cause = response != null
                ? Errors.forCode((short) response.getErrorCode()) + " " + response.getErrorMessage()
                : failure instanceof ApiException refused ? refused.error().toString() : String.valueOf(failure);
        var error =
                new ApiError(Errors.COORDINATOR_LOAD_IN_PROGRESS, "the controller gave out no producer ids: " + cause);
        for (Callback callback : failed) {
            callback.failed(error);
        }
    }

    private void taken(long first, int count) {
        List<Callback> served = new ArrayList<>();
        long firstServed;
        boolean askMore;
        synchronized (this) {
            asking = false;
            blockSize = count;
            if (next == end) {
                next = first;
                end = first + count;
            } else {
                reserveFirst = first;
                reserveEnd = first + count;
            }
            firstServed = next;
            while (next < end && !waiting.isEmpty()) {
                served.add(waiting.poll());
                next++;
            }
            askMore = !waiting.isEmpty();
            asking = askMore;
        }
        for (int i = 0; i < served.size(); i++) {
            served.get(i).allocated(firstServed + i);
        }
        if (askMore) {
            askController();
        }
    }
}
