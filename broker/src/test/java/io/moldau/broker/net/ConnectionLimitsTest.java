package io.moldau.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.net.ConnectionLimits.Admission;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {

    @Test
    void countsPerAddressAndInAll() {
        var limits = new ConnectionLimits(4, 2, Map.of("b", 1));
        assertThat(limits.open("a")).isEqualTo(Admission.ACCEPTED);
        assertThat(limits.open("a")).isEqualTo(Admission.ACCEPTED);
        assertThat(limits.open("a")).isEqualTo(Admission.TOO_MANY_PER_IP);
        assertThat(limits.open("b")).isEqualTo(Admission.ACCEPTED);
        assertThat(limits.open("b")).isEqualTo(Admission.TOO_MANY_PER_IP);
        assertThat(limits.open("c")).isEqualTo(Admission.ACCEPTED);
        assertThat(limits.open("d")).isEqualTo(Admission.TOO_MANY);
        limits.close("a");
        assertThat(limits.open("a")).isEqualTo(Admission.ACCEPTED);
        assertThat(limits.total()).isEqualTo(4);
    }
}
