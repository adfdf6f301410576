package io.moldau.metadata;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.metadata.controller.op.RegisterController;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.quorum.AppliedMetadata;
import io.moldau.wire.message.ControllerRegistrationResponseData;
import io.moldau.wire.protocol.Message;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sees to it that the metadata say how this controller is reached and what it supports (KIP-919):
/// looks after each entry of the log, and asks the active controller to register it as long as they
/// say anything else.
///
/// Any thread. One request is open at a time; after one that failed there is a pause that grows.
final class ControllerRegistrar implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ControllerRegistrar.class);

    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long UNSEEN_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ControllerRegistration own;
    private final AppliedMetadata applied;
    private final NodeToController active;
    private final Timer timer;
    private final Time time;
    private final Runnable watcher = this::look;
    private final AtomicBoolean busy = new AtomicBoolean();
    /// Belongs to whoever made `busy` true.
    private long pauseNanos = FIRST_PAUSE_NANOS;

    /// What was seen last and is right: most entries change nothing about it.
    private volatile @Nullable ControllerRegistration right;

    private volatile boolean closed;

    ControllerRegistrar(
            ControllerRegistration own, AppliedMetadata applied, NodeToController active, Timer timer, Time time) {
        this.own = own;
        this.applied = applied;
        this.active = active;
        this.timer = timer;
        this.time = time;
    }

    void start() {
        applied.watch(watcher);
        look();
        timer.schedule(time.nanoseconds() + UNSEEN_NANOS, () -> {
            if (busy.compareAndSet(false, true)) {
                ask();
            }
        });
    }

    /// A voter that comes back at another address sees nothing of the log before the leader knows
    /// that address: what it cannot see is wrong too.
    private boolean isWrong() {
        MetadataImage image = applied.image();
        ControllerRegistration registered = image.cluster().controller(own.id());
        if (registered == null) {
            return true;
        }
        if (registered == right) {
            return false;
        }
        boolean wrong = !registered.equals(own);
        if (!wrong) {
            right = registered;
        }
        return wrong;
    }

    /// On the thread that applies entries: only signals.
    private void look() {
        // In a new cluster the first entry comes soon.
        if (!closed && !applied.image().isEmpty() && isWrong() && busy.compareAndSet(false, true)) {
            timer.schedule(time.nanoseconds(), this::ask);
        }
    }

    private void ask() {
        if (closed || !isWrong()) {
            free();
            return;
        }
        var context = ControllerContext.internal(time.nanoseconds() + TIMEOUT_NANOS)
                .withApiVersion(RegisterController.request(own).highestSupportedVersion());
        active.forward(context, RegisterController.request(own))
                .whenComplete((answer, failure) -> asked(error(answer, failure)));
    }

    private static @Nullable String error(@Nullable Message answer, @Nullable Throwable failure) {
        if (failure != null) {
            return String.valueOf(failure.getMessage());
        }
        return answer instanceof ControllerRegistrationResponseData response && response.errorCode() != 0
                ? new ApiException(Errors.forCode(response.errorCode()), String.valueOf(response.errorMessage()))
                        .toString()
                : null;
    }

    private void asked(@Nullable String error) {
        long pause = pauseNanos;
        if (error == null) {
            pauseNanos = FIRST_PAUSE_NANOS;
        } else {
            pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
            LOG.info("this controller is not registered yet: node={} error={}", own.id(), error);
        }
        if (error == null && applied.image().isEmpty()) {
            // It will be looked at again when the log comes.
            free();
        } else if (!closed) {
            // The entry may be still on its way to here; then the next look comes with it.
            timer.schedule(time.nanoseconds() + pause, this::ask);
        }
    }

    private void free() {
        busy.set(false);
        // It may have become wrong again before that.
        look();
    }

    @Override
    public void close() {
        closed = true;
        applied.unwatch(watcher);
    }
}
