package io.moldau.ops.cli;

import static io.moldau.ops.cli.FakeCluster.topic;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigsCommandTest {

    private final FakeCluster cluster = new FakeCluster()
            .withSetting(topic("orders"), "cleanup.policy", "delete", "default config")
            .withSetting(topic("orders"), "retention.ms", "5", "dynamic topic config");
    private final Typed typed = new Typed(cluster);

    @Test
    void onlyWhatWasSetIsShownUnlessAllIsWanted() {
        assertThat(typed.run("configs show topic orders")).isZero();
        assertThat(typed.out().lines())
                .containsExactly(
                        "KEY           VALUE  SOURCE                CHANGE",
                        "retention.ms      5  dynamic topic config  any time");

        typed.run("configs show topic orders --all --json");
        assertThat(typed.out()).contains("\"name\": \"cleanup.policy\"", "\"default\": true");

        typed.run("configs show topic orders cleanup.policy");
        assertThat(typed.out()).contains("default config").doesNotContain("retention");
    }

    @Test
    void aKeyThatIsNotThereIsNamedWithTheNearest() {
        assertThat(typed.run("configs show topic orders retention.m")).isEqualTo(1);
        assertThat(typed.error()).contains("retention.m of topic orders", "nearest is retention.ms");
    }

    @Test
    void keysAreSetAndTakenAway() {
        assertThat(typed.run("configs set topic orders retention.ms=7 segment.ms=8"))
                .isZero();
        assertThat(typed.run("configs unset broker default log.retention.ms")).isZero();
        assertThat(cluster.told)
                .containsExactly(
                        "alter TOPIC 'orders' {retention.ms=Optional[7], segment.ms=Optional[8]}",
                        "closed",
                        "alter BROKER '' {log.retention.ms=Optional.empty}",
                        "closed");
        assertThat(typed.out()).contains("Set for topic orders: retention.ms, segment.ms.");
    }

    @Test
    void wrongUseIsNamed() {
        assertThat(typed.run("configs show broker one")).isEqualTo(1);
        assertThat(typed.error()).contains("'one' is no broker");
        assertThat(typed.run("configs set topic orders retention.ms")).isEqualTo(2);
        assertThat(typed.error()).contains("KEY=VALUE");
        assertThat(typed.run("configs show topics orders")).isEqualTo(2);
        assertThat(typed.error()).contains("topics");
    }
}
