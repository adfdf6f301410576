package io.moldau.broker.coordinator.runtime;

import java.util.ArrayList;
import java.util.List;

/// What one operation of a shard decided.
///
/// @param records written to the log in one batch, unless `splittable`
/// @param replay whether the records are replayed into the state when they are written; false where the operation has
///     changed the state by hand, or will in a completion
/// @param splittable whether the records may be spread over several batches: a clean-up that is idempotent, not a
///     change that must be seen whole
/// @param effects done at once
/// @param completions run when everything up to and including the records is committed, or has failed
public record CoordinatorResult(
        List<CoordinatorRecord> records,
        boolean replay,
        boolean splittable,
        List<Effect> effects,
        List<Completion> completions) {

    public static final CoordinatorResult NOTHING = new CoordinatorResult(List.of(), true, false, List.of(), List.of());

    public static CoordinatorResult of(Effect effect) {
        return new CoordinatorResult(List.of(), true, false, List.of(effect), List.of());
    }

    /// Collects what an operation decides on its way.
    public static final class Builder {
        private final List<CoordinatorRecord> records = new ArrayList<>();
        private final List<Effect> effects = new ArrayList<>();
        private final List<Completion> completions = new ArrayList<>();
        private boolean replay = true;
        private boolean splittable;

        public Builder write(CoordinatorRecord record) {
            records.add(record);
            return this;
        }

        public List<CoordinatorRecord> records() {
            return records;
        }

        /// The records only persist what the operation itself changes.
        public Builder withoutReplay() {
            replay = false;
            return this;
        }

        public Builder splittable() {
            splittable = true;
            return this;
        }

        public <T> Builder answer(Reply<T> reply, T response) {
            effects.add(new Effect.Answer<>(reply, response));
            return this;
        }

        public Builder schedule(TimerEvent event, long delayMs) {
            effects.add(new Effect.Schedule(event, delayMs));
            return this;
        }

        public Builder cancel(Object timerKey) {
            effects.add(new Effect.Cancel(timerKey));
            return this;
        }

        public Builder then(Completion completion) {
            completions.add(completion);
            return this;
        }

        public CoordinatorResult build() {
            return new CoordinatorResult(records, replay, splittable, effects, completions);
        }
    }
}
