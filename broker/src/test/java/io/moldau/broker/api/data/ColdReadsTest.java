package io.moldau.broker.api.data;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ColdReadsTest {

    private static final long MIB = 1 << 20;

    @Test
    void creditIsEarnedByFastReadsAndLostByOneSlowOne() {
        var credit = new ColdReadCredit();
        assertThat(credit.spend()).isFalse();
        for (int i = 0; i < 3; i++) {
            credit.measured(MIB, 500_000);
        }
        assertThat(credit.spend()).isFalse();
        credit.measured(MIB, 500_000);
        assertThat(credit.spend()).isTrue();
        credit.measured(MIB, 8_000_000);
        assertThat(credit.spend()).isFalse();
    }

    @Test
    void aSmallReadIsNotBlamedForItsFixedCost() {
        var credit = new ColdReadCredit();
        for (int i = 0; i < 4; i++) {
            credit.measured(100, 30_000);
        }
        assertThat(credit.spend()).isTrue();
    }

    @Test
    void creditRunsOut() {
        var credit = new ColdReadCredit();
        for (int i = 0; i < 4; i++) {
            credit.measured(MIB, 100_000);
        }
        int spent = 0;
        while (credit.spend()) {
            spent++;
        }
        assertThat(spent).isBetween(1, 1000);
    }
}
