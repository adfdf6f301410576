package io.moldau.ops.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `moldau produce` and `moldau consume`, against Kafka's simulated clients.
class RecordsCommandTest {

    private static final TopicPartition FIRST = new TopicPartition("orders", 0);

    private final Typed typed = new Typed(new FakeCluster());

    @TempDir
    private Path folder;

    @BeforeEach
    void records() {
        typed.consumer.updatePartitions("orders", List.of(new PartitionInfo("orders", 0, null, null, null)));
        typed.consumer.updateBeginningOffsets(Map.of(FIRST, 0L));
        typed.consumer.updateEndOffsets(Map.of(FIRST, 3L));
        typed.consumer.schedulePollTask(() -> {
            for (int i = 0; i < 3; i++) {
                var headers = new RecordHeaders(List.of(new RecordHeader("h", "x".getBytes(UTF_8))));
                typed.consumer.addRecord(new ConsumerRecord<>(
                        "orders",
                        0,
                        i,
                        500 + i,
                        TimestampType.CREATE_TIME,
                        1,
                        1,
                        ("k" + i).getBytes(UTF_8),
                        i == 1 ? null : i == 2 ? new byte[] {(byte) 0xff} : "v".getBytes(UTF_8),
                        headers,
                        Optional.empty()));
            }
        });
    }

    @Test
    void aRecordIsMadeOfEachLine() {
        assertThat(typed.input("a:1\nno key\nb:2:3\n\n").run("produce orders -k : -H source=test -p 0 --acks 1"))
                .isZero();

        assertThat(typed.producer.history())
                .extracting(record -> (record.key() == null ? "null" : new String(record.key(), UTF_8)) + "="
                        + new String(record.value(), UTF_8))
                .containsExactly("a=1", "null=no key", "b=2:3", "null=");
        assertThat(typed.producer
                        .history()
                        .getFirst()
                        .headers()
                        .lastHeader("source")
                        .value())
                .isEqualTo("test".getBytes(UTF_8));
        assertThat(typed.out()).isEqualTo("4 records acknowledged in topic orders: partition 0 offsets 0 to 3.\n");
        assertThat(typed.client).containsEntry("acks", "1").containsEntry("enable.idempotence", "false");
        assertThat(typed.producer.closed()).isTrue();
    }

    @Test
    void linesComeFromAFileToo() throws Exception {
        Path file = Files.writeString(folder.resolve("lines"), "one\ntwo");

        assertThat(typed.run("produce orders -f " + file + " --json -z zstd")).isZero();

        assertThat(typed.out()).contains("\"acknowledged\": 2", "\"lastOffset\": 1");
        assertThat(typed.client).containsEntry("compression.type", "zstd").containsEntry("acks", "all");
        assertThat(typed.run("produce orders -f /nowhere/x")).isEqualTo(1);
        assertThat(typed.error()).contains("/nowhere/x");
    }

    @Test
    void whatIsNotAcknowledgedIsCountedAndExplained() {
        typed.producer.sendException = new NotEnoughReplicasException("too few");

        assertThat(typed.input("a\n").run("produce orders")).isEqualTo(1);

        assertThat(typed.error()).contains("topic orders", "too few");
        assertThat(typed.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-e                              | v,null,�",
                "-e --from-beginning -F %p:%o:%k | 0:0:k0,0:1:k1,0:2:k2",
                "-e --offset 1 -F '%T %h'        | 501 h=x,502 h=x",
                "-e --offset -1 -F %t%%          | orders%",
                "-n 2 --from-beginning -F %o     | 0,1",
                "-e -p 0 -F %o                   | 0,1,2",
            })
    void recordsArePrintedFromTheWantedPlace(String options, String lines) {
        assertThat(typed.run("consume orders " + options)).as(typed.error()).isZero();

        assertThat(typed.out().strip().lines()).containsExactly(lines.split(",", -1));
        assertThat(typed.consumer.closed()).isTrue();
        assertThat(typed.machine.told).containsExactly("stopping closed");
    }

    @Test
    void theEndIsWhereItWasAtTheStart() {
        typed.consumer.updateEndOffsets(Map.of(FIRST, 2L));
        var places = new ArrayList<Long>();
        typed.consumer.schedulePollTask(() -> places.add(typed.consumer.position(FIRST)));

        assertThat(typed.run("consume orders -e -F %o")).isZero();

        assertThat(typed.out().lines()).containsExactly("0", "1");
        assertThat(places).as("there is no second poll").isEmpty();
    }

    @Test
    void aMemberCommitsWhatItPrintedAndNoMore() {
        var committed = new ArrayList<Object>();
        var consumer = new MockConsumer<byte[], byte[]>("earliest") {
            @Override
            public synchronized void commitSync() {
                committed.add(position(FIRST));
            }
        };
        typed.consumer = consumer;
        consumer.schedulePollTask(() -> consumer.rebalance(List.of(FIRST)));
        records();
        consumer.updateEndOffsets(Map.of(FIRST, 2L));

        assertThat(typed.run("consume orders -g g -e -F %o")).isZero();

        assertThat(typed.out().lines()).containsExactly("0", "1");
        assertThat(committed).isNotEmpty().allMatch(offset -> offset.equals(2L));
    }

    @Test
    void jsonIsALineForEachRecord() {
        assertThat(typed.run("consume orders -e --json")).isZero();

        assertThat(typed.out().lines())
                .containsExactly(
                        "{\"topic\":\"orders\",\"partition\":0,\"offset\":0,\"timestamp\":500,\"key\":\"k0\","
                                + "\"value\":\"v\",\"headers\":[{\"name\":\"h\",\"value\":\"x\"}]}",
                        "{\"topic\":\"orders\",\"partition\":0,\"offset\":1,\"timestamp\":501,\"key\":\"k1\","
                                + "\"value\":null,\"headers\":[{\"name\":\"h\",\"value\":\"x\"}]}",
                        "{\"topic\":\"orders\",\"partition\":0,\"offset\":2,\"timestamp\":502,\"key\":\"k2\","
                                + "\"valueBase64\":\"/w==\",\"headers\":[{\"name\":\"h\",\"value\":\"x\"}]}");
    }

    @Test
    void whatCannotBeReadIsNamed() {
        assertThat(typed.run("consume nothing -e")).isEqualTo(1);
        assertThat(typed.error()).contains("no topic nothing", "topics list");
    }

    @Test
    void contradictionsAreNamed() {
        assertThat(typed.run("consume orders -g g --from-beginning")).isEqualTo(1);
        assertThat(typed.error()).contains("group g", "reset-offsets");
        assertThat(typed.run("consume orders -F %x")).isEqualTo(1);
        assertThat(typed.error()).contains("'%x'", "%k key");
        assertThat(typed.run("consume orders --from-beginning --offset 3")).isEqualTo(2);
        assertThat(typed.run("consume orders -p 7")).isEqualTo(1);
        assertThat(typed.error()).contains("[7]", "0 to 0");
    }
}
