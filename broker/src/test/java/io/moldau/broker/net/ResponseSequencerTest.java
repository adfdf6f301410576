package io.moldau.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class ResponseSequencerTest {

    private static final class Numbered extends ResponseSequencer.Slot<Numbered> {
        final int number;

        Numbered(int number) {
            this.number = number;
        }
    }

    @Seeds(count = 50)
    void answersLeaveInTheOrderOfRequests(long seed) {
        var random = new Random(seed);
        var sequencer = new ResponseSequencer<Numbered>();
        List<Numbered> unanswered = new ArrayList<>();
        List<Integer> sent = new ArrayList<>();
        int requests = 0;
        for (int step = 0; step < 200 || !unanswered.isEmpty(); step++) {
            if (step < 200 && random.nextBoolean()) {
                var slot = new Numbered(requests++);
                sequencer.add(slot);
                unanswered.add(slot);
            } else if (!unanswered.isEmpty()) {
                unanswered.remove(random.nextInt(unanswered.size())).markReady();
            }
            Numbered next;
            while ((next = sequencer.pollReady()) != null) {
                sent.add(next.number);
                assertThat(unanswered).doesNotContain(next);
            }
            assertThat(sequencer.open()).isEqualTo(requests - sent.size());
        }
        assertThat(sent).hasSize(requests).isSorted();
    }
}
