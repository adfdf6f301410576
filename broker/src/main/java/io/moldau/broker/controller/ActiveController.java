package io.moldau.broker.controller;

import io.moldau.broker.controller.Controllers.Chosen;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import io.moldau.metadata.message.AlterPartitionRequest;
import io.moldau.metadata.message.AlterPartitionResponse;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.message.FetchMetadataRequest;
import io.moldau.metadata.message.FetchMetadataResponse;
import io.moldau.metadata.message.FetchSnapshotRequest;
import io.moldau.metadata.message.FetchSnapshotResponse;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.message.RegisterBrokerResponse;
import io.moldau.wire.protocol.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The active controller, whichever that is: asks the one that is taken for it, and after a failure the next, with
/// growing random pauses, until somebody answers or the time is up. One try is under way at a time for each request.
///
/// A request whose connection broke may have been carried out. It is sent again all the same, as Kafka's brokers do:
/// what
/// it asks for is fenced by epochs, or the answer then says that the thing exists.
final class ActiveController implements NodeToController {

    private static final Logger LOG = LoggerFactory.getLogger(ActiveController.class);

    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Controllers controllers;
    private final Time time;
    private final Timer timer;
    private final RandomGenerator random;

    ActiveController(Controllers controllers, Time time, Timer timer, RandomGenerator random) {
        this.controllers = controllers;
        this.time = time;
        this.timer = timer;
        this.random = random;
    }

    @Override
    public CompletableFuture<RegisterBrokerResponse> register(RegisterBrokerRequest request) {
        return ask(deadline(), controller -> controller.register(request));
    }

    @Override
    public CompletableFuture<BrokerHeartbeatResponse> heartbeat(BrokerHeartbeatRequest request) {
        return ask(deadline(), controller -> controller.heartbeat(request));
    }

    @Override
    public CompletableFuture<AlterPartitionResponse> alterPartition(AlterPartitionRequest request) {
        return ask(deadline(), controller -> controller.alterPartition(request));
    }

    @Override
    public CompletableFuture<AllocateProducerIdsResponse> allocateProducerIds(AllocateProducerIdsRequest request) {
        return ask(deadline(), controller -> controller.allocateProducerIds(request));
    }

    @Override
    public CompletableFuture<FetchMetadataResponse> fetchMetadata(FetchMetadataRequest request) {
        return controllers.chooseActive().channel().fetchMetadata(request);
    }

    @Override
    public CompletableFuture<FetchSnapshotResponse> fetchSnapshot(FetchSnapshotRequest request) {
        return controllers.chooseActive().channel().fetchSnapshot(request);
    }

    @Override
    public CompletableFuture<Message> forward(ControllerContext context, Message request) {
        return ask(context.deadlineNanos(), controller -> controller.forward(context, request));
    }

    private long deadline() {
        return time.nanoseconds() + DEADLINE_NANOS;
    }

    private <T> CompletableFuture<T> ask(long deadlineNanos, Function<NodeToController, CompletableFuture<T>> request) {
        var question = new Question<>(deadlineNanos, request);
        question.ask();
        return question.answer;
    }

    /// A request until it is answered.
    private final class Question<T> {
        private final long deadlineNanos;
        private final Function<NodeToController, CompletableFuture<T>> request;
        final CompletableFuture<T> answer = new CompletableFuture<>();
        private long pauseNanos = FIRST_PAUSE_NANOS;

        Question(long deadlineNanos, Function<NodeToController, CompletableFuture<T>> request) {
            this.deadlineNanos = deadlineNanos;
            this.request = request;
        }

        void ask() {
            Chosen chosen = controllers.chooseActive();
            request.apply(chosen.channel()).whenComplete((result, failure) -> {
                if (failure == null) {
                    answer.complete(result);
                } else {
                    failed(chosen, failure);
                }
            });
        }

        private void failed(Chosen chosen, Throwable failure) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (!(cause instanceof ApiException api) || !isWorthAnotherTry(api.error())) {
                answer.completeExceptionally(cause);
                return;
            }
            controllers.notActive(chosen);
            long now = time.nanoseconds();
            long pause = pauseNanos / 2 + random.nextLong(pauseNanos);
            pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
            if (now + pause - deadlineNanos >= 0) {
                answer.completeExceptionally(new ApiException(
                        Errors.REQUEST_TIMED_OUT,
                        "No active controller answered in time; the last one asked said " + api.error() + ": "
                                + api.getMessage()));
                return;
            }
            LOG.debug(
                    "asking for the active controller again node={} error={}",
                    chosen.address().id(),
                    api.error());
            timer.schedule(now + pause, this::ask);
        }
    }

    private static boolean isWorthAnotherTry(Errors error) {
        return switch (error) {
            case NOT_CONTROLLER, NETWORK_EXCEPTION, REQUEST_TIMED_OUT, BROKER_NOT_AVAILABLE -> true;
            default -> false;
        };
    }
}
