package io.moldau.ops.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Endpoint;
import io.moldau.ops.state.AdvertisedCheck.Outcome;
import io.moldau.ops.state.AdvertisedCheck.Problem;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What a node makes of the answer at its own advertised address.
class AdvertisedCheckTest {

    private static final Endpoint ENDPOINT = new Endpoint("OUT", "PLAINTEXT", "kafka.example", 9092);

    private static @Nullable Problem judge(String listens, Outcome outcome) {
        return AdvertisedCheck.judge(ENDPOINT, listens, outcome, 1, "mine");
    }

    private static String text(String listens, Outcome outcome) {
        return String.valueOf(judge(listens, outcome));
    }

    @Test
    void aNodeThatFindsItselfIsReached() {
        assertThat(judge("", new Outcome.Answered("mine", true, false))).isNull();
        assertThat(judge("127.0.0.1", new Outcome.Answered("mine", true, true))).isNull();
    }

    @Test
    void whatFailsIsNamedWithListenerAddressReasonAndRemedy() {
        assertThat(text("", new Outcome.Unknown("no such host")))
                .contains("Listener OUT is advertised as kafka.example:9092", "a name this machine does not know")
                .contains("no such host", "Set advertised.listeners to OUT://HOST:PORT", "/etc/hosts");
        assertThat(text("", new Outcome.Unreached("Connection refused")))
                .contains("gets no answer (Connection refused)", "firewall", "forwarded port");
        assertThat(text("", new Outcome.Foreign("garbage"))).contains("does not speak Kafka (garbage)", "every client");
    }

    @Test
    void somebodyElseIsNamed() {
        assertThat(text("", new Outcome.Answered("other", false, false)))
                .contains("a node of another cluster answers (other, this one is mine)");
        assertThat(text("", new Outcome.Answered("other", true, false))).contains("another cluster");
        assertThat(text("", new Outcome.Answered("mine", false, false)))
                .contains("another broker of this cluster answers, not node 1");
    }

    @Test
    void loopbackIsNoAddressForANodeThatListensEverywhere() {
        for (String host : new String[] {"", "0.0.0.0", "::"}) {
            assertThat(text(host, new Outcome.Answered("mine", true, true)))
                    .contains("an address of this machine alone", "connect to themselves", "listen on localhost");
        }
    }

    @Test
    void anAddressOfVersionSixStandsInBrackets() {
        var six = new Endpoint("OUT", "PLAINTEXT", "::1", 9092);
        assertThat(String.valueOf(AdvertisedCheck.judge(six, "", new Outcome.Unknown("x"), 1, "mine")))
                .contains("[::1]:9092");
    }
}
