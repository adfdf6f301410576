package io.moldau.broker.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.FaultHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MailboxTest {

    private final FaultHandler.Recording faults = new FaultHandler.Recording();
    private final Mailbox mailbox = new Mailbox(faults);

    @Test
    void whoFindsNobodyInsideRunsItsTaskAtOnce() {
        var ran = new ArrayList<String>();
        mailbox.submit(() -> ran.add("now"));
        assertThat(ran).containsExactly("now");
    }

    @Test
    void whoIsInsideRunsWhatOthersLeave() {
        var ran = new ArrayList<String>();
        assertThat(mailbox.tryEnter()).isTrue();
        assertThat(mailbox.tryEnter()).isFalse();
        mailbox.submit(() -> ran.add("left"));
        assertThat(ran).isEmpty();
        mailbox.exit();
        assertThat(ran).containsExactly("left");
        assertThat(mailbox.tryEnter()).isTrue();
        mailbox.exit();
    }

    @Test
    void aFailingTaskIsAFaultAndLeavesTheMailboxUsable() {
        mailbox.submit(() -> {
            throw new IllegalStateException("broken");
        });
        assertThat(faults.faults()).hasSize(1);
        var ran = new ArrayList<String>();
        mailbox.submit(() -> ran.add("next"));
        assertThat(ran).containsExactly("next");
    }

    @Test
    void threadsNeverMeetInsideAndKeepTheirOrder() throws InterruptedException {
        int threads = 4;
        int tasks = 20_000;
        var last = new int[threads]; // guarded by the mailbox alone
        var wrong = new ArrayList<String>();
        long[] total = {0};
        var done = new CountDownLatch(threads);
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int self = t;
            all.add(Thread.ofPlatform().start(() -> {
                for (int i = 1; i <= tasks; i++) {
                    int number = i;
                    Runnable task = () -> {
                        total[0]++;
                        if (last[self] != number - 1) {
                            wrong.add("thread " + self + ": " + number + " after " + last[self]);
                        }
                        last[self] = number;
                    };
                    if (number % 2 == 0 && mailbox.tryEnter()) {
                        task.run();
                        mailbox.exit();
                    } else {
                        mailbox.submit(task);
                    }
                }
                done.countDown();
            }));
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(mailbox.tryEnter()).isTrue();
        assertThat(wrong).isEmpty();
        assertThat(total[0]).isEqualTo((long) threads * tasks);
        assertThat(faults.faults()).isEmpty();
        mailbox.exit();
    }
}
