package io.moldau.sim;

import io.moldau.broker.coordinator.group.generated.GroupMetadataValue;
import io.moldau.broker.replica.FollowerCallback;
import io.moldau.broker.replica.FollowerTerm;
import io.moldau.broker.replica.Partition;
import io.moldau.log.LogView;
import io.moldau.log.producer.EndTransactionMarker;
import io.moldau.metadata.image.loader.MetadataLoader;
import io.moldau.metadata.message.MetadataEntry;
import io.moldau.wire.record.RecordBatch;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a [PlantedBug] does instead. Called from changed code in the place of a method of the first argument, which is
/// an object because its class may not be visible here.
public final class Planted {

    private Planted() {}

    public static long endOfTime(Object partition) {
        return Long.MAX_VALUE;
    }

    public static void cutAtHighWatermark(Object partition, FollowerTerm term, FollowerCallback callback) {
        Partition replica = (Partition) partition;
        replica.truncateAsFollower(term, replica.highWatermark(), callback);
    }

    public static int noEpoch(Object fetch) {
        return -1;
    }

    public static int zero(Object registration) {
        return 0;
    }

    public static long noBrokerEpoch(Object member) {
        return -1L;
    }

    public static boolean anyProcess(Object eligibility, int brokerId, long brokerEpoch) {
        return ((SimulatedNode.KnownBrokers) eligibility).isActive(brokerId);
    }

    public static long takeForGranted(Object leaderState) {
        try {
            Field proposed = field(leaderState, "proposed");
            Object wanted = proposed.get(leaderState);
            if (wanted != null) {
                field(leaderState, "isr").set(leaderState, wanted);
            }
            return (long) method(leaderState, "advance").invoke(leaderState);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    public static void doNotForce(Object file) {}

    public static int findLatest(Object entry, int firstSequence, int lastSequence) {
        try {
            int latest = (int) method(entry, "batchCount").invoke(entry) - 1;
            int found = (int) method(entry, "find", int.class, int.class).invoke(entry, firstSequence, lastSequence);
            return found == latest ? found : -1;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    public static void entriesBackwards(Object loader, List<MetadataEntry> entries) {
        ((MetadataLoader) loader).entries(entries.reversed());
    }

    public static long loadNothing(Object runner) {
        return 0L;
    }

    public static int generationBefore(Object record) {
        return ((GroupMetadataValue) record).generation() - 1;
    }

    public static void anyGeneration(Object group, int generation) {}

    public static Object endByState(
            Object shard, Object producer, boolean commit, short version, long freshId, Object reply, long nowMs) {
        try {
            Method endClassic = Stream.of(shard.getClass().getDeclaredMethods())
                    .filter(method -> method.getName().equals("endClassic"))
                    .findFirst()
                    .orElseThrow();
            endClassic.setAccessible(true);
            return endClassic.invoke(shard, producer, commit, reply, nowMs);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    public static long oneBeyondStable(Object view, long highWatermark) {
        return Math.min(((LogView) view).lastStableOffset(highWatermark) + 1, highWatermark);
    }

    public static boolean no(Object status) {
        return false;
    }

    public static Object initializedUnfenced(Object state, short epoch, int timeoutMs, long nowMs) {
        try {
            short same = (short) method(state, "producerEpoch").invoke(state);
            return method(state, "initialized", short.class, int.class, long.class)
                    .invoke(state, same, timeoutMs, nowMs);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    public static long laterThanAll(Object newest, ByteBuffer key) {
        return Long.MAX_VALUE;
    }

    public static boolean endsAnything(Object transactions, RecordBatch batch, @Nullable EndTransactionMarker marker) {
        return true;
    }

    private static Field field(Object of, String name) throws NoSuchFieldException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static Method method(Object of, String name, Class<?>... parameters) throws NoSuchMethodException {
        Method method = of.getClass().getDeclaredMethod(name, parameters);
        method.setAccessible(true);
        return method;
    }
}
