package io.moldau.broker.coordinator.runtime;

import io.moldau.common.Errors;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Drives one shard by hand: a clock that only the test moves, a log that is a list, commits that can be held back,
/// refused or late. Every record is applied as it comes back from its bytes.
///
/// @param <S> the shard's type
public final class ShardHarness<S extends CoordinatorShard> {

    private record Pending(long sequence, int logEnd, List<Completion> completions) {}

    private record Armed(TimerEvent event, long deadlineMs) {}

    private final Supplier<S> newShard;
    private final RecordDecoder decoder;
    private final BiFunction<S, Long, CoordinatorResult> first;
    private final List<CoordinatorRecord> log = new ArrayList<>();
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    private final Map<Object, Armed> timers = new LinkedHashMap<>();
    private S shard;
    private long nowMs = 1_000_000L;
    private long sequence = 1;
    private int committed;
    private boolean holding;
    private @Nullable Errors refusal;

    /// @param first what the shard does, after that it is loaded, at a time
    public ShardHarness(Supplier<S> newShard, RecordDecoder decoder, BiFunction<S, Long, CoordinatorResult> first) {
        this.newShard = newShard;
        this.decoder = decoder;
        this.first = first;
        this.shard = newShard.get();
        serve();
    }

    public S shard() {
        return shard;
    }

    public long nowMs() {
        return nowMs;
    }

    /// Everything written and not taken back.
    public List<CoordinatorRecord> log() {
        return log;
    }

    public CoordinatorRecord lastRecord() {
        return log.getLast();
    }

    public void run(CoordinatorResult result) {
        for (var effect : result.effects()) {
            switch (effect) {
                case Effect.Answer<?> answer -> answer.deliver();
                case Effect.Schedule(TimerEvent event, long delayMs) ->
                    timers.put(event.key(), new Armed(event, nowMs + delayMs));
                case Effect.Cancel(Object key) -> timers.remove(key);
            }
        }
        if (!result.records().isEmpty()) {
            if (refusal != null) {
                var error = refusal;
                refusal = null;
                fail(result.completions(), error);
                return;
            }
            for (var record : result.records()) {
                var bytes = reread(record);
                log.add(bytes);
                shard.replay(-1L, (short) -1, bytes);
            }
            pending.addLast(new Pending(sequence, log.size(), new ArrayList<>(result.completions())));
            shard.timeline().writeAt(++sequence);
        } else if (!pending.isEmpty()) {
            pending.getLast().completions().addAll(result.completions());
        } else {
            complete(result.completions());
        }
        if (!holding) {
            commitAll();
        }
    }

    private CoordinatorRecord reread(CoordinatorRecord record) {
        var value = record.encodedValue();
        return Objects.requireNonNull(
                decoder.decode(ByteBuffer.wrap(record.encodedKey()), value == null ? null : ByteBuffer.wrap(value)));
    }

    private void complete(List<Completion> completions) {
        for (var completion : completions) {
            run(completion.onCommitted(nowMs));
        }
    }

    private void fail(List<Completion> completions, Errors error) {
        for (var completion : completions) {
            run(completion.onFailed(error, nowMs));
        }
    }

    // ---- the log's moods ----

    /// From here on nothing is committed until [#commitAll].
    public void holdCommits() {
        holding = true;
    }

    public void commitAll() {
        holding = false;
        for (var head = pending.poll(); head != null; head = pending.poll()) {
            committed = head.logEnd();
            shard.timeline().commitUpTo(head.sequence());
            complete(head.completions());
        }
    }

    /// Whoever waits is told that it takes too long; what he waits for may still be committed.
    public void timeOutWrites() {
        for (var batch : List.copyOf(pending)) {
            var waiting = List.copyOf(batch.completions());
            batch.completions().clear();
            fail(waiting, Errors.REQUEST_TIMED_OUT);
        }
    }

    public boolean hasUncommitted() {
        return !pending.isEmpty();
    }

    /// What is not committed never will be.
    public void rejectWrites(Errors error) {
        var failed = List.copyOf(pending);
        pending.clear();
        log.subList(committed, log.size()).clear();
        shard.timeline().revertTo(failed.getFirst().sequence() - 1);
        failed.forEach(batch -> fail(batch.completions(), error));
    }

    /// The next write fails at once.
    public void refuseNextWrite(Errors error) {
        refusal = error;
    }

    // ---- time ----

    /// Lets time pass; what falls due on the way happens in order.
    public void advance(long ms) {
        long until = nowMs + ms;
        while (true) {
            var next = timers.entrySet().stream()
                    .filter(entry -> entry.getValue().deadlineMs() <= until)
                    .min(Comparator.comparingLong(entry -> entry.getValue().deadlineMs()));
            if (next.isEmpty()) {
                nowMs = until;
                return;
            }
            timers.remove(next.get().getKey());
            nowMs = Math.max(nowMs, next.get().getValue().deadlineMs());
            run(shard.onTimer(next.get().getValue().event(), nowMs));
        }
    }

    public int timers() {
        return timers.size();
    }

    // ---- terms ----

    /// As after a fail-over: a new shard that knows nothing but the log.
    ///
    /// @param keepUncommitted whether the new leader has what the old one has written last
    public void restart(boolean keepUncommitted) {
        var failed = List.copyOf(pending);
        pending.clear();
        timers.clear();
        holding = false;
        failed.forEach(batch -> batch.completions()
                .forEach(completion -> tellOnly(completion.onFailed(Errors.NOT_COORDINATOR, nowMs))));
        tellOnly(shard.onUnloaded(Errors.NOT_COORDINATOR));
        if (!keepUncommitted) {
            log.subList(committed, log.size()).clear();
        }
        committed = log.size();
        shard = newShard.get();
        serve();
    }

    private static void tellOnly(CoordinatorResult result) {
        for (var effect : result.effects()) {
            if (effect instanceof Effect.Answer<?> answer) {
                answer.deliver();
            }
        }
    }

    private void serve() {
        shard.timeline().writeAt(Timeline.COMMITTED);
        log.forEach(record -> shard.replay(-1L, (short) -1, record));
        shard.timeline().writeAt(++sequence);
        run(shard.onLoaded(nowMs));
        run(first.apply(shard, nowMs));
    }
}
