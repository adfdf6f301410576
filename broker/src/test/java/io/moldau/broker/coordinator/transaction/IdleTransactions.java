package io.moldau.broker.coordinator.transaction;

import io.moldau.broker.coordinator.runtime.CoordinatorLog;
import io.moldau.broker.coordinator.runtime.CoordinatorMetrics;
import io.moldau.broker.coordinator.runtime.CoordinatorRuntime;
import io.moldau.broker.peer.BrokerRequests;
import io.moldau.common.TopicPartition;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.record.Compression;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A transaction coordinator that leads nothing: it gives out producer ids, and every transactional id is elsewhere.
public final class IdleTransactions {

    private IdleTransactions() {}

    public static TransactionCoordinator coordinator(
            ProducerIds ids, Supplier<MetadataImage> image, Time time, Timer timer, Executor executor) {
        var runtime = new CoordinatorRuntime.Services(
                new NoLog(),
                new TransactionRecordDecoder(),
                time,
                timer,
                executor,
                (where, fault) -> {
                    throw new AssertionError(where, fault);
                },
                CoordinatorMetrics.NONE,
                Compression.NONE,
                1 << 20,
                1 << 16,
                15_000);
        return new TransactionCoordinator(
                TransactionCoordinatorConfig.DEFAULTS,
                new TransactionCoordinator.Services(
                        runtime, ids, new NoBrokers(), image, TransactionMetrics.NONE, 30_000, 50));
    }

    private static final class NoLog implements CoordinatorLog {
        @Override
        public @Nullable Range range(TopicPartition partition, int leaderEpoch) {
            return null;
        }

        @Override
        public ByteBuffer read(TopicPartition partition, int leaderEpoch, long offset, int maxBytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void append(TopicPartition partition, int leaderEpoch, ByteBuffer batch, AppendListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void whenCommitted(TopicPartition partition, int leaderEpoch, long offset, Runnable callback) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class NoBrokers implements BrokerRequests {
        @Override
        public <R extends Message> CompletableFuture<R> send(
                int brokerId, short apiVersion, Message request, Class<R> response, long timeoutMs) {
            throw new UnsupportedOperationException();
        }
    }
}
