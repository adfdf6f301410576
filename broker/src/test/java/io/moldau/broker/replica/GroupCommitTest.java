package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

class GroupCommitTest {

    private final Deque<Runnable> disk = new ArrayDeque<>();
    private int forces;
    private Runnable meanwhile = () -> {};
    private final GroupCommit commits = new GroupCommit(() -> disk::add, () -> {
        forces++;
        Runnable once = meanwhile;
        meanwhile = () -> {};
        once.run();
    });

    private void run() {
        while (!disk.isEmpty()) {
            disk.remove().run();
        }
    }

    @Test
    void allWhoAskBeforeItBeginsShareOneForce() {
        for (int i = 0; i < 10; i++) {
            commits.request();
        }
        assertThat(disk).hasSize(1);
        run();
        assertThat(forces).isEqualTo(1);
        commits.request();
        run();
        assertThat(forces).isEqualTo(2);
    }

    @Test
    void allWhoAskWhileOneIsUnderWayShareTheNext() {
        meanwhile = () -> {
            commits.request();
            commits.request();
        };
        commits.request();
        run();
        assertThat(forces).isEqualTo(2);
    }

    @Test
    void oneThatThrowsIsNotTheLast() {
        meanwhile = () -> {
            throw new IllegalStateException("planted");
        };
        commits.request();
        try {
            run();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("planted");
        }
        commits.request();
        run();
        assertThat(forces).isEqualTo(2);
    }
}
