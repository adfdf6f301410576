package io.moldau.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.ApiException;
import io.moldau.common.Endpoint;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.common.time.Timer;
import io.moldau.common.time.TimerTask;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.controller.op.Bootstrap;
import io.moldau.metadata.controller.op.RegisterController;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.quorum.AppliedMetadata;
import io.moldau.metadata.record.MetadataBatch;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.UnregisterControllerRecord;
import io.moldau.testing.MockTime;
import io.moldau.wire.message.ControllerRegistrationRequestData;
import io.moldau.wire.message.ControllerRegistrationResponseData;
import io.moldau.wire.protocol.Message;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// A controller that keeps itself known, with a clock and an active controller by hand.
class ControllerRegistrarTest {

    private static final ControllerRegistration OWN = new ControllerRegistration(
            7, new Uuid(9, 9), List.of(new Endpoint("CONTROLLER", "PLAINTEXT", "here", 9093)), Map.of());

    private final MockTime time = new MockTime();
    private final AppliedMetadata applied = new AppliedMetadata();
    private final Steps steps = new Steps();
    private final List<Long> askedMs = new ArrayList<>();
    private @Nullable ApiException failure;
    private long index;

    private final ControllerRegistrar registrar = new ControllerRegistrar(
            OWN,
            applied,
            (NodeToController) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {NodeToController.class},
                    (proxy, method, arguments) -> asked((Message) arguments[1])),
            steps,
            time);

    /// Runs what is due when the test says so.
    private final class Steps implements Timer {
        private record Step(long at, Runnable action) {}

        private final PriorityQueue<Step> steps =
                new PriorityQueue<>((one, other) -> Long.compare(one.at() - other.at(), 0));

        @Override
        public TimerTask schedule(long deadlineNanos, Runnable action) {
            var step = new Step(deadlineNanos, action);
            steps.add(step);
            return new TimerTask() {
                @Override
                public boolean cancel() {
                    return steps.remove(step);
                }

                @Override
                public long deadlineNanos() {
                    return step.at();
                }
            };
        }

        /// @return whether there was anything to do
        boolean next() {
            Step step = steps.poll();
            if (step == null) {
                return false;
            }
            time.advanceNanos(Math.max(0, step.at() - time.nanoseconds()));
            step.action().run();
            return true;
        }
    }

    private CompletableFuture<Message> asked(Message request) {
        askedMs.add(time.milliseconds());
        if (failure != null) {
            return CompletableFuture.failedFuture(failure);
        }
        apply(new RegisterController()
                .register(applied.image(), (ControllerRegistrationRequestData) request)
                .records());
        return CompletableFuture.completedFuture(new ControllerRegistrationResponseData());
    }

    private void apply(List<MetadataRecord> records) {
        applied.apply(
                index++, 1, MetadataBatch.newBuilder().addAllRecords(records).build(), 1);
    }

    private void bootstrap() {
        apply(Bootstrap.records(new Uuid(1, 2), ControllerSettings.DEFAULTS, new SplittableRandom(1)));
    }

    private void runAll() {
        while (steps.next()) {
            assertThat(askedMs).hasSizeLessThan(100);
        }
    }

    @Test
    void itRegistersOnceThereIsSomethingToBeRegisteredIn() {
        registrar.start();
        bootstrap();
        runAll();
        assertThat(applied.image().cluster().controller(7)).isEqualTo(OWN);
        assertThat(askedMs).hasSize(1);
        apply(List.of(MetadataRecords.noOp()));
        assertThat(steps.next()).as("nothing to do for other entries").isFalse();
    }

    /// The leader may know an old address of it and so have sent nothing yet.
    @Test
    void oneThatSeesNothingOfTheLogAsksAllTheSame() {
        registrar.start();
        runAll();
        assertThat(askedMs).hasSize(1);
        assertThat(applied.image().cluster().controller(7)).isEqualTo(OWN);
    }

    @Test
    void oneThatIsForgottenRegistersAgain() {
        registrar.start();
        bootstrap();
        runAll();
        apply(List.of(MetadataRecords.of(
                UnregisterControllerRecord.newBuilder().setControllerId(7).build())));
        runAll();
        assertThat(applied.image().cluster().controller(7)).isEqualTo(OWN);
        assertThat(askedMs).hasSize(2);
    }

    @Test
    void whatFailsIsTriedAgainAfterPausesThatGrow() {
        failure = new ApiException(Errors.NOT_CONTROLLER);
        registrar.start();
        bootstrap();
        for (int i = 0; i < 13; i++) {
            steps.next();
        }
        assertThat(askedMs).hasSize(12);
        assertThat(askedMs.get(1) - askedMs.get(0)).isEqualTo(100);
        assertThat(askedMs.get(2) - askedMs.get(1)).isEqualTo(200);
        assertThat(askedMs.get(11) - askedMs.get(10)).isEqualTo(TimeUnit.SECONDS.toMillis(10));
        failure = null;
        runAll();
        assertThat(applied.image().cluster().controller(7)).isEqualTo(OWN);
    }

    @Test
    void afterTheEndNothingIsAsked() {
        registrar.start();
        registrar.close();
        bootstrap();
        runAll();
        assertThat(askedMs).isEmpty();
    }
}
