package io.moldau.broker.lifecycle;

import io.moldau.broker.lifecycle.BrokerLifecycle.Effect;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.message.BrokerHeartbeatRequest;
import io.moldau.metadata.message.BrokerHeartbeatResponse;
import io.moldau.metadata.message.RegisterBrokerRequest;
import io.moldau.metadata.message.RegisterBrokerResponse;
import io.moldau.metadata.record.MetadataRecords;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/// Carries out what [BrokerLifecycle] decides. Everything happens on one thread, the executor given; the public methods
/// may be called from any.
public final class BrokerRegistrar implements MetadataPublisher {

    private static final Logger LOG = LoggerFactory.getLogger(BrokerRegistrar.class);

    private static final long LEAVE_UNHEARD_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final BrokerLifecycle lifecycle;
    private final NodeToController controller;
    private final Supplier<RegisterBrokerRequest> registration;
    private final int brokerId;
    private final ScheduledExecutorService executor;
    private final Time time;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    /// Log directories that have failed, in every heartbeat. Owned by the executor.
    private final Set<Uuid> failedDirectories = new LinkedHashSet<>();

    /// Log directories that are to get no replicas, in every heartbeat. Owned by the executor.
    private List<Uuid> cordonedDirectories = List.of();

    private volatile long brokerEpoch = -1;
    private volatile boolean fenced = true;
    private @Nullable ScheduledFuture<?> wakeUp;

    /// @param registration what to register with, asked for at every attempt
    public BrokerRegistrar(
            BrokerTiming timing,
            NodeToController controller,
            int brokerId,
            Supplier<RegisterBrokerRequest> registration,
            ScheduledExecutorService executor,
            Time time) {
        this.lifecycle = new BrokerLifecycle(
                new BrokerLifecycle.Timing(
                        TimeUnit.MILLISECONDS.toNanos(timing.heartbeatMs()),
                        TimeUnit.MILLISECONDS.toNanos(timing.sessionMs()),
                        TimeUnit.MILLISECONDS.toNanos(timing.registrationMs()),
                        TimeUnit.MILLISECONDS.toNanos(100),
                        LEAVE_UNHEARD_NANOS),
                time.nanoseconds());
        this.controller = controller;
        this.brokerId = brokerId;
        this.registration = registration;
        this.executor = executor;
        this.time = time;
    }

    /// The settings of the broker's session with the controller, in milliseconds.
    public record BrokerTiming(long heartbeatMs, long sessionMs, long registrationMs) {}

    public void start() {
        executor.execute(() -> carryOut(lifecycle.start()));
    }

    /// Done when the controller has unfenced this broker for the first time; fails with [StartException] when it will
    /// not have it.
    public CompletableFuture<Void> ready() {
        return ready;
    }

    /// The epoch of the current registration, -1 if there is none.
    public long brokerEpoch() {
        return brokerEpoch;
    }

    /// Whether the controller keeps this broker from serving.
    public boolean isFenced() {
        return fenced;
    }

    /// A log directory has failed: tells the controller at once, so that others lead what was there (KIP-858).
    public void directoryFailed(Uuid directory) {
        try {
            executor.execute(() -> {
                if (failedDirectories.add(directory)) {
                    carryOut(lifecycle.onDirectoriesChanged());
                }
            });
        } catch (RejectedExecutionException e) {
            // The node has taken leave already and is closing its logs: nobody has to move anything.
            LOG.debug("log directory failed while stopping directory={}", directory, e);
        }
    }

    /// These log directories are to get no replicas from now on: tells the controller at once
    /// (KIP-1066).
    public void cordoned(List<Uuid> directories) {
        try {
            executor.execute(() -> {
                if (!cordonedDirectories.equals(directories)) {
                    cordonedDirectories = List.copyOf(directories);
                    carryOut(lifecycle.onDirectoriesChanged());
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("log directories cordoned while stopping", e);
        }
    }

    /// Asks the controller for permission to stop.
    ///
    /// @param controlled whether leaders are moved away first
    /// @return done when the broker may stop, at the latest after `broker.session.timeout.ms`
    public CompletableFuture<Void> shutDown(boolean controlled) {
        executor.execute(() -> carryOut(lifecycle.beginShutdown(controlled, time.nanoseconds())));
        return stopped;
    }

    @Override
    public String name() {
        return "broker registration";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        long offset = newImage.offset();
        boolean othersLeave = newImage.cluster().brokers().stream()
                .anyMatch(broker -> broker.id() != brokerId && broker.inControlledShutdown() && !broker.fenced());
        executor.execute(() -> carryOut(lifecycle.onMetadata(offset, othersLeave)));
    }

    private void carryOut(List<Effect> effects) {
        brokerEpoch = lifecycle.brokerEpoch();
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Register() -> register();
                case Effect.Heartbeat heartbeat -> heartbeat(heartbeat);
                case Effect.WakeAt(long nanos) -> wakeAt(nanos);
                case Effect.Ready() -> {
                    fenced = false;
                    LOG.debug("broker unfenced node={} brokerEpoch={}", brokerId, brokerEpoch);
                    ready.complete(null);
                }
                case Effect.Fenced() -> {
                    fenced = true;
                    LOG.warn("broker fenced by the controller node={} brokerEpoch={}", brokerId, brokerEpoch);
                }
                case Effect.ShutDown() -> {
                    cancelWakeUp();
                    stopped.complete(null);
                    ready.completeExceptionally(new StartException("The node was stopped before it was ready."));
                }
                case Effect.Refused(String message) -> {
                    cancelWakeUp();
                    LOG.error("broker not registered node={} reason=\"{}\"", brokerId, message);
                    stopped.complete(null);
                    ready.completeExceptionally(new StartException(message));
                }
            }
        }
    }

    private void register() {
        controller
                .register(registration.get())
                .whenCompleteAsync((response, failure) -> carryOut(onRegistration(response, failure)), executor);
    }

    private List<Effect> onRegistration(@Nullable RegisterBrokerResponse response, @Nullable Throwable failure) {
        if (response != null && response.getErrorCode() == 0) {
            return lifecycle.onRegistered(response.getBrokerEpoch());
        }
        Errors error = response != null ? Errors.forCode((short) response.getErrorCode()) : error(failure);
        String message = response != null ? response.getErrorMessage() : message(failure);
        // Usual while the quorum elects; a node that starts alone is there before its controller is.
        var level = error == Errors.NOT_CONTROLLER ? Level.DEBUG : Level.INFO;
        LOG.atLevel(level).log("registration failed node={} error={} message=\"{}\"", brokerId, error, message);
        return lifecycle.onRegistrationFailed(error, message, time.nanoseconds());
    }

    private void heartbeat(Effect.Heartbeat heartbeat) {
        controller
                .heartbeat(BrokerHeartbeatRequest.newBuilder()
                        .setBrokerId(brokerId)
                        .setBrokerEpoch(heartbeat.brokerEpoch())
                        .setCurrentMetadataIndex(heartbeat.metadataOffset())
                        .setWantFence(heartbeat.wantFence())
                        .setWantShutDown(heartbeat.wantShutDown())
                        .addAllOfflineLogDirs(MetadataRecords.ids(List.copyOf(failedDirectories)))
                        .addAllCordonedLogDirs(MetadataRecords.ids(cordonedDirectories))
                        .build())
                .whenCompleteAsync((response, failure) -> carryOut(onHeartbeat(response, failure)), executor);
    }

    private List<Effect> onHeartbeat(@Nullable BrokerHeartbeatResponse response, @Nullable Throwable failure) {
        long now = time.nanoseconds();
        if (response != null && response.getErrorCode() == 0) {
            return lifecycle.onHeartbeat(response.getIsFenced(), response.getShouldShutDown(), now);
        }
        Errors error = response != null ? Errors.forCode((short) response.getErrorCode()) : error(failure);
        LOG.debug("heartbeat failed node={} error={}", brokerId, error);
        return lifecycle.onHeartbeatFailed(error, now);
    }

    private void wakeAt(long nanos) {
        cancelWakeUp();
        wakeUp = executor.schedule(
                () -> carryOut(lifecycle.onTick(time.nanoseconds())),
                Math.max(0, nanos - time.nanoseconds()),
                TimeUnit.NANOSECONDS);
    }

    private void cancelWakeUp() {
        if (wakeUp != null) {
            wakeUp.cancel(false);
            wakeUp = null;
        }
    }

    private static Errors error(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof ApiException api ? api.error() : Errors.UNKNOWN_SERVER_ERROR;
    }

    private static String message(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return String.valueOf(cause == null ? null : cause.getMessage());
    }
}
