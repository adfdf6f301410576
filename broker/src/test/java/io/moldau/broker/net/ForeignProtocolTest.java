package io.moldau.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ForeignProtocolTest {

    @Test
    void whatSpeaksSomethingElseIsNamed() {
        assertThat(ForeignProtocol.hint(0x16030100)).contains("TLS");
        assertThat(ForeignProtocol.hint(0x47455420)).contains("HTTP");
        assertThat(ForeignProtocol.hint(0x5353482d)).contains("SSH");
        assertThat(ForeignProtocol.hint(-1)).isEmpty();
        assertThat(ForeignProtocol.hint(200_000_000)).isEmpty();
    }
}
