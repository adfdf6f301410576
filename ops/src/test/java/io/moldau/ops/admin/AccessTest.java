package io.moldau.ops.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.admin.Access.Headers;
import io.moldau.ops.admin.Access.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTest {

    private static final String TOKEN = "0123456789abcdef";
    private static final Access HERE = new Access(true, "");
    private static final Access EVERYWHERE = new Access(false, "");
    private static final Access WITH_TOKEN = new Access(false, TOKEN);

    private static Headers headers(@Nullable String host, @Nullable String authorization) {
        return new Headers(host, authorization, null, null);
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "localhost:9644", "LOCALHOST:1", "127.0.0.1:80", "127.1.2.3", "[::1]:9644", "[::1]"
            })
    void thisMachinesNames(String host) {
        assertThat(HERE.verdict(false, headers(host, null))).isEqualTo(Verdict.ALLOWED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "127.0.0.1.evil.example",
                "localhost.evil.example:9644",
                "127.evil",
                "10.0.0.1",
                ""
            })
    void underAnotherNameNothingIsShownOnLoopback(String host) {
        assertThat(HERE.verdict(false, headers(host, null))).isEqualTo(Verdict.OTHER_NAME);
        assertThat(HERE.verdict(true, headers(host, null))).isEqualTo(Verdict.OTHER_NAME);
    }

    @Test
    void aPageFromElsewhereMayLeadHereAndNotAsk() {
        assertThat(browser("cross-site", "cors")).isEqualTo(Verdict.OTHER_SITE);
        assertThat(browser("cross-site", "no-cors")).isEqualTo(Verdict.OTHER_SITE);
        assertThat(browser("cross-site", "navigate")).isEqualTo(Verdict.ALLOWED);
        assertThat(browser("same-origin", "cors")).isEqualTo(Verdict.ALLOWED);
        assertThat(browser("none", "navigate")).isEqualTo(Verdict.ALLOWED);
    }

    private static Verdict browser(String site, String mode) {
        return HERE.verdict(false, new Headers("localhost", null, site, mode));
    }

    @Test
    void beyondLoopbackOnlyHealthAndMetrics() {
        assertThat(EVERYWHERE.verdict(true, headers("broker1:9644", null))).isEqualTo(Verdict.ALLOWED);
        assertThat(EVERYWHERE.verdict(false, headers("broker1:9644", null))).isEqualTo(Verdict.NOT_FROM_OUTSIDE);
        // What it says of itself does not count.
        assertThat(EVERYWHERE.verdict(false, headers("localhost", null))).isEqualTo(Verdict.NOT_FROM_OUTSIDE);
    }

    @Test
    void theTokenOpens() {
        assertThat(WITH_TOKEN.verdict(true, headers("broker1", null))).isEqualTo(Verdict.ALLOWED);
        assertThat(WITH_TOKEN.verdict(false, headers("broker1", "Bearer " + TOKEN)))
                .isEqualTo(Verdict.ALLOWED);
        assertThat(WITH_TOKEN.verdict(false, headers("broker1", basic("me:" + TOKEN))))
                .isEqualTo(Verdict.ALLOWED);
        assertThat(new Access(true, "with:colon:in:it")
                        .verdict(false, headers("localhost", basic("me:with:colon:in:it"))))
                .isEqualTo(Verdict.ALLOWED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer ",
                "Bearer 0123456789abcdeF",
                "Bearer 0123456789abcdef0",
                "Basic %%%",
                "Basic ",
                "0123456789abcdef"
            })
    void whatIsNoTokenDoesNot(String authorization) {
        assertThat(WITH_TOKEN.verdict(false, headers("broker1", authorization))).isEqualTo(Verdict.NO_TOKEN);
        assertThat(WITH_TOKEN.verdict(false, headers("broker1", basic(authorization))))
                .isEqualTo(authorization.equals(TOKEN) ? Verdict.ALLOWED : Verdict.NO_TOKEN);
        assertThat(WITH_TOKEN.verdict(false, headers("broker1", null))).isEqualTo(Verdict.NO_TOKEN);
    }

    @Test
    void onLoopbackTheTokenIsAskedForToo() {
        assertThat(new Access(true, TOKEN).verdict(false, headers("localhost", null)))
                .isEqualTo(Verdict.NO_TOKEN);
    }
}
