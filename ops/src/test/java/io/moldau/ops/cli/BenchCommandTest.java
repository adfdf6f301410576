package io.moldau.ops.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class BenchCommandTest {

    private final FakeCluster cluster = new FakeCluster().withBrokers(1);
    private final Typed typed = new Typed(cluster);

    @Test
    void recordsOfAllThreadsAreDueAtOneRate() {
        var first = new Pacer(1_000, 4, 2, 0);
        var second = new Pacer(1_000, 4, 2, 1);

        assertThat(List.of(first.dueNanos(0, 7), second.dueNanos(0, 7), first.dueNanos(1, 7), second.dueNanos(3, 7)))
                .containsExactly(1_000L, 250_001_000L, 500_001_000L, 1_750_001_000L);
        assertThat(new Pacer(1_000, 0, 2, 1).dueNanos(9, 77)).isEqualTo(77);
    }

    @Test
    void aTopicIsMadeFilledAndRemoved() {
        assertThat(typed.run("bench produce -n 100 -w 0 -s 50 -p 7 -r 2 --acks 1 -z lz4 --linger 9 --json"))
                .as(typed.error())
                .isZero();

        assertThat(cluster.told)
                .containsExactly("create moldau-bench-1000000 7 2 {}", "delete moldau-bench-1000000", "closed");
        assertThat(typed.producer.history()).hasSize(100).allSatisfy(record -> {
            assertThat(record.topic()).isEqualTo("moldau-bench-1000000");
            assertThat(record.value()).hasSize(50);
        });
        assertThat(typed.client)
                .containsEntry("acks", "1")
                .containsEntry("enable.idempotence", "false")
                .containsEntry("compression.type", "lz4")
                .containsEntry("linger.ms", "9");
        assertThat(typed.out())
                .contains("\"mode\": \"produce\"", "\"records\": 100", "\"bytes\": 5000", "\"failed\": 0", "\"p99.9\"");
    }

    @Test
    void aNamedTopicIsKept() {
        cluster.withTopic("mine", FakeCluster.sound(0, 1));

        assertThat(typed.run("bench produce -t mine -n 10 -w 0")).isZero();

        assertThat(cluster.told).containsExactly("closed");
        assertThat(typed.error()).contains("topic mine has 1 partition");
    }

    @Test
    void whatFailsIsNamedAndTheTopicRemovedAllTheSame() {
        typed.producer = new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
            {
                sendException = new RecordTooLargeException("too large");
            }
        };

        assertThat(typed.run("bench produce -n 10 -w 0")).isEqualTo(1);

        assertThat(typed.error()).contains("too large");
        assertThat(cluster.told).contains("delete moldau-bench-1000000");
    }

    @Test
    void wrongWishesAreRefusedBeforeAnythingIsDone() {
        for (var wrong : Map.of(
                        "bench -n 5 -d 5", "exclude each other",
                        "bench -t a -p 3", "--topic names one",
                        "bench -s 3", "must be 16 or more",
                        "bench --producers 0", "must be 1 or more")
                .entrySet()) {
            assertThat(typed.run(wrong.getKey())).isEqualTo(1);
            assertThat(typed.error()).contains(wrong.getValue());
        }
        assertThat(typed.run("bench consumption")).isEqualTo(2);
        assertThat(typed.error()).contains("'consumption' is none of produce, consume, end-to-end");
        assertThat(cluster.told).isEmpty();
    }

    @Test
    void theTableHasAllOfIt() {
        var micros = new Histogram(3);
        for (int i = 1; i <= 1000; i++) {
            micros.recordValue(i * 10L);
        }
        String table = BenchResult.table(List.of(
                new BenchResult("produce", 1000, 2 << 20, 2, 1, micros), new BenchResult("consume", 5, 0, 0, 0, null)));

        assertThat(table.lines().toList().get(1).split(" +"))
                .startsWith("produce", "1000", "1", "2.0", "500", "1.0")
                .endsWith("5.00", "9.50", "9.90", "9.99", "10.01");
        assertThat(table.lines().toList().get(2).split(" +")).endsWith("0", "0.0", "-", "-", "-", "-", "-");
    }

    @Test
    void aRecordKnowsItsRunAndWhenItWasDue() {
        var payload = new BenchPayload(20, 7);
        byte[] measured = payload.next(99, true);
        byte[] warmUp = payload.next(98, false);

        assertThat(BenchPayload.isOf(7, measured)).isTrue();
        assertThat(BenchPayload.dueNanos(measured)).isEqualTo(99);
        assertThat(BenchPayload.isOf(7, warmUp)).isFalse();
        assertThat(BenchPayload.isOf(7, new byte[3])).isFalse();
        var plan = new BenchPlan(
                "t", 20, 0, Duration.ofSeconds(1), Duration.ZERO, 5, 1, 1, new Properties(), new Properties());
        assertThat(plan.byTime()).isTrue();
        assertThat(plan.filling(3).byTime()).isFalse();
    }
}
