package io.moldau.broker.coordinator.runtime;

import io.moldau.broker.coordinator.group.generated.GroupMetadataKey;
import io.moldau.broker.coordinator.group.generated.GroupMetadataValue;
import io.moldau.common.Errors;
import io.moldau.wire.protocol.ByteBufferReadable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A shard that counts by name: a write says which count it made. The records are groups' whose generation is the
/// count.
final class CounterShard implements CoordinatorShard {

    record Tick(String name) implements TimerEvent {
        @Override
        public Object key() {
            return name;
        }
    }

    private final Timeline timeline = new Timeline();
    private final TimelineMap<String, Integer> counts = new TimelineMap<>(timeline);
    final List<String> ticks = new ArrayList<>();
    final List<Reply<String>> parked = new ArrayList<>();
    final List<Boolean> transactions = new ArrayList<>();
    final List<Long> producers = new ArrayList<>();
    private int inside;

    static @Nullable CoordinatorRecord decode(ByteBuffer key, @Nullable ByteBuffer value) {
        var keyIn = new ByteBufferReadable(key);
        if (keyIn.readShort() != 2) {
            return null;
        }
        var decodedKey = new GroupMetadataKey();
        decodedKey.read(keyIn, (short) 0);
        if (value == null) {
            return CoordinatorRecord.tombstone(2, decodedKey);
        }
        var valueIn = new ByteBufferReadable(value);
        short version = valueIn.readShort();
        var decoded = new GroupMetadataValue();
        decoded.read(valueIn, version);
        return CoordinatorRecord.of(2, decodedKey, decoded, version);
    }

    static CoordinatorRecord record(String name, int count, int padding) {
        return CoordinatorRecord.of(
                2,
                new GroupMetadataKey().setGroup(name),
                new GroupMetadataValue()
                        .setProtocolType("x".repeat(padding))
                        .setGeneration(count)
                        .setProtocol(null)
                        .setLeader(null),
                3);
    }

    CoordinatorResult add(String name, Reply<String> reply) {
        return add(name, 0, reply);
    }

    CoordinatorResult add(String name, int padding, Reply<String> reply) {
        if (++inside != 1) {
            throw new AssertionError("two operations at a time");
        }
        int next = latest(name) + 1;
        inside--;
        return new CoordinatorResult.Builder()
                .write(record(name, next, padding))
                .then(Completion.answer(reply, name + next, Errors::name))
                .build();
    }

    int latest(String name) {
        var count = counts.get(name);
        return count == null ? 0 : count;
    }

    int committed(String name) {
        var count = counts.committed(name);
        return count == null ? 0 : count;
    }

    @Override
    public Timeline timeline() {
        return timeline;
    }

    @Override
    public void replay(long producerId, short producerEpoch, CoordinatorRecord record) {
        producers.add(producerId);
        var name = ((GroupMetadataKey) record.key()).group();
        if (record.value() == null) {
            counts.remove(name);
        } else {
            counts.put(name, ((GroupMetadataValue) record.value()).generation());
        }
    }

    @Override
    public void replayEndTransaction(long producerId, short producerEpoch, boolean committed) {
        transactions.add(committed);
    }

    @Override
    public CoordinatorResult onLoaded(long nowMs) {
        return CoordinatorResult.NOTHING;
    }

    @Override
    public CoordinatorResult onUnloaded(Errors error) {
        var out = new CoordinatorResult.Builder();
        parked.forEach(reply -> out.answer(reply, error.name()));
        return out.build();
    }

    @Override
    public CoordinatorResult onTimer(TimerEvent event, long nowMs) {
        ticks.add(((Tick) event).name());
        return CoordinatorResult.NOTHING;
    }
}
