package io.moldau.broker.coordinator.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Puts the answers of several shards together, in the order they were asked for. Each place is filled once, from any
/// thread; whoever fills the last one passes all of them on.
public final class Gather<T> {

    private final AtomicReferenceArray<T> answers;
    private final AtomicInteger missing;
    private final Consumer<List<T>> complete;

    private Gather(int size, Consumer<List<T>> complete) {
        this.answers = new AtomicReferenceArray<>(size);
        this.missing = new AtomicInteger(size);
        this.complete = complete;
    }

    /// Asks for each question and passes on the answers.
    public static <Q, T> void all(List<Q> questions, BiConsumer<Q, Reply<T>> ask, Consumer<List<T>> complete) {
        if (questions.isEmpty()) {
            complete.accept(List.of());
            return;
        }
        var gather = new Gather<T>(questions.size(), complete);
        for (int i = 0; i < questions.size(); i++) {
            ask.accept(questions.get(i), gather.place(i));
        }
    }

    private Reply<T> place(int index) {
        return answer -> {
            answers.set(index, answer);
            if (missing.decrementAndGet() == 0) {
                var all = new ArrayList<T>(answers.length());
                for (int i = 0; i < answers.length(); i++) {
                    all.add(answers.get(i));
                }
                complete.accept(all);
            }
        };
    }
}
