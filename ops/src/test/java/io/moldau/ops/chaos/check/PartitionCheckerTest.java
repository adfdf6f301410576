package io.moldau.ops.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.load.ChaosValue;
import io.moldau.ops.chaos.load.History;
import io.moldau.ops.chaos.load.LiveReader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// A checker that finds nothing would make every run look good: each kind of damage is planted and must be found.
class PartitionCheckerTest {

    private static final int PARTITION = 3;
    private static final long[] NOTHING_SEEN = {};

    private final History history = new History();
    private final List<byte[]> log = new ArrayList<>();

    @Test
    void aSoundLogIsClean() {
        for (int n = 0; n < 10; n++) {
            write(1, n);
            write(2, n);
        }
        var findings = check(NOTHING_SEEN);
        assertThat(findings.clean()).as("%s", findings).isTrue();
        assertThat(findings.acknowledged()).isEqualTo(20);
        assertThat(findings.records()).isEqualTo(20);
    }

    @Test
    void aRecordThatWasNeverAcknowledgedMayBeThereOrNot() {
        history.sent(1, PARTITION, 0);
        history.sent(1, PARTITION, 1);
        log.add(value(1, 0));
        assertThat(check(NOTHING_SEEN).clean()).isTrue();
    }

    @Test
    void lost() {
        write(1, 0);
        acknowledge(1, 1, 1);
        assertThat(check(NOTHING_SEEN).lost()).isEqualTo(1);
    }

    @Test
    void lostAlsoWhenNoOffsetWasTold() {
        write(1, 0);
        acknowledge(1, 1, -1);
        assertThat(check(NOTHING_SEEN).lost()).isEqualTo(1);
    }

    @Test
    void moved() {
        write(1, 0);
        acknowledge(2, 0, 5);
        log.add(value(2, 0));
        assertThat(check(NOTHING_SEEN).moved()).isEqualTo(1);
    }

    @Test
    void duplicated() {
        write(1, 0);
        log.add(value(1, 0));
        var findings = check(NOTHING_SEEN);
        assertThat(findings.duplicates()).isEqualTo(1);
        assertThat(findings.reordered()).isZero();
    }

    @Test
    void reordered() {
        write(1, 0);
        write(1, 2);
        write(1, 1);
        assertThat(check(NOTHING_SEEN).reordered()).isEqualTo(1);
    }

    @Test
    void unreadable() {
        write(1, 0);
        var damaged = value(1, 1);
        damaged[13] ^= 1;
        acknowledge(1, 1, 1);
        log.add(damaged);
        var findings = check(NOTHING_SEEN);
        assertThat(findings.unreadable()).isEqualTo(1);
        assertThat(findings.lost()).isEqualTo(1);
    }

    @Test
    void aHoleAndAnEarlyEndAreUnreadable() {
        for (int n = 0; n < 4; n++) {
            write(1, n);
        }
        var checker = new PartitionChecker(PARTITION, history.outcomes(PARTITION), NOTHING_SEEN);
        checker.record(0, log.get(0));
        checker.record(2, log.get(2));
        var findings = checker.end(4);
        assertThat(findings.unreadable()).isEqualTo(2);
        assertThat(findings.lost()).isEqualTo(2);
    }

    @Test
    void readDuringTheRunAndNotThereAfterwards() {
        write(1, 0);
        write(1, 1);
        long packed = LiveReader.pack(new ChaosValue(1, PARTITION, 0));
        long other = LiveReader.pack(new ChaosValue(9, PARTITION, 7));
        assertThat(check(new long[] {packed, LiveReader.UNSEEN}).clean()).isTrue();
        assertThat(check(new long[] {packed, other}).vanished()).isEqualTo(1);
        assertThat(check(new long[] {packed, LiveReader.UNSEEN, other}).vanished())
                .isEqualTo(1);
    }

    private Findings check(long[] seen) {
        var checker = new PartitionChecker(PARTITION, history.outcomes(PARTITION), seen);
        for (int offset = 0; offset < log.size(); offset++) {
            checker.record(offset, log.get(offset));
        }
        return checker.end(log.size());
    }

    private void write(int producer, long sequence) {
        acknowledge(producer, sequence, log.size());
        log.add(value(producer, sequence));
    }

    private void acknowledge(int producer, long sequence, long offset) {
        history.acknowledged(producer, PARTITION, sequence, offset, 0, 1);
    }

    private static byte[] value(int producer, long sequence) {
        return new ChaosValue(producer, PARTITION, sequence).encode(40);
    }
}
