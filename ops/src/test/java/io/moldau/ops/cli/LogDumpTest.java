package io.moldau.ops.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.Compression;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `moldau log dump` over files that are made here.
class LogDumpTest {

    private final Typed typed = new Typed(new FakeCluster());

    @TempDir
    private Path folder;

    private Path log;
    private int second;

    @BeforeEach
    void files() throws IOException {
        log = folder.resolve("00000000000000000005.log");
        var bytes = new ByteArrayOutputStream();
        write(bytes, batch(5, "a", "b"));
        second = bytes.size();
        write(bytes, batch(7, "c"));
        Files.write(log, bytes.toByteArray());
        index(2, second);
        Files.writeString(folder.resolve("leader-epoch-checkpoint"), "0\n1\n3 5\n");
        Files.writeString(folder.resolve("partition.metadata"), "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAg\n");
    }

    private static void write(ByteArrayOutputStream to, ByteBuffer from) {
        while (from.hasRemaining()) {
            to.write(from.get());
        }
    }

    private static ByteBuffer batch(long offset, String... values) {
        var batch = new BatchBuilder()
                .compression(Compression.GZIP)
                .baseOffset(offset)
                .partitionLeaderEpoch(3)
                .producer(9, (short) 1, 0);
        for (String value : values) {
            batch.append(1000 + offset, "k".getBytes(UTF_8), value.getBytes(UTF_8));
        }
        return batch.build();
    }

    private void index(int relativeOffset, int position) throws IOException {
        // The end was reserved and not used.
        ByteBuffer entries = ByteBuffer.allocate(32);
        entries.putInt(relativeOffset).putInt(position);
        Files.write(folder.resolve("00000000000000000005.index"), entries.array());
    }

    @Test
    void aFolderIsToldBySegments() {
        assertThat(typed.run("log dump " + folder)).isZero();
        assertThat(typed.out().lines())
                .containsExactly(
                        "partition  folder: " + folder + "  topicId: AAAAAAAAAAAAAAAAAAAAAg",
                        "epoch  epoch: 3  startOffset: 5",
                        "segment  file: 00000000000000000005.log  baseOffset: 5  nextOffset: 8  batches: 2  records: 3"
                                + "  bytes: " + log.toFile().length() + "  maxTimestamp: 1007  indexEntries: 1");
    }

    @Test
    void recordsAreToldToo() {
        assertThat(typed.run("log dump --records --json " + log)).isZero();
        assertThat(typed.out().lines())
                .hasSize(5)
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                "\"kind\":\"batch\"",
                                "\"baseOffset\":7",
                                "\"compression\":\"gzip\"",
                                "\"producerId\":9"))
                .contains("{\"kind\":\"record\",\"offset\":6,\"timestamp\":1005,\"key\":\"k\",\"value\":\"b\"}");
    }

    @Test
    void aFlippedBitIsFound() throws Exception {
        byte[] bytes = Files.readAllBytes(log);
        bytes[bytes.length - 1] ^= 1;
        Files.write(log, bytes);

        assertThat(typed.run("log dump --records " + folder)).isEqualTo(1);
        assertThat(typed.out()).contains("checksum: WRONG", "DAMAGED  file: " + log + "  position: " + second);
    }

    @Test
    void aTornEndIsFound() throws Exception {
        byte[] bytes = Files.readAllBytes(log);
        Files.write(log, java.util.Arrays.copyOf(bytes, bytes.length - 3));

        assertThat(typed.run("log dump " + folder)).isEqualTo(1);
        assertThat(typed.out()).contains("position: " + second + "  reason: no whole batch is here");
    }

    @Test
    void anIndexThatLeadsNowhereIsFound() throws Exception {
        index(2, second + 1);
        assertThat(typed.run("log dump " + folder)).isEqualTo(1);
        assertThat(typed.out()).contains("offset 7 is not in a batch at " + (second + 1));

        index(0, second);
        assertThat(typed.run("log dump " + folder)).isEqualTo(1);
    }

    @Test
    void offsetsThatGoBackAreFound() throws Exception {
        var bytes = new ByteArrayOutputStream();
        write(bytes, batch(7, "a"));
        write(bytes, batch(7, "b"));
        Files.write(log, bytes.toByteArray());

        assertThat(typed.run("log dump " + log)).isEqualTo(1);
        assertThat(typed.out()).contains("offset 7 comes after 7");
    }

    @Test
    void singleFilesAreKnownByTheirNames() {
        String base = folder + "/00000000000000000005";
        assertThat(typed.run("log dump " + base + ".index " + folder + "/leader-epoch-checkpoint " + folder
                        + "/partition.metadata"))
                .isZero();
        assertThat(typed.out().lines())
                .containsExactly(
                        "index  offset: 7  position: " + second,
                        "epoch  epoch: 3  startOffset: 5",
                        "topic  topicId: AAAAAAAAAAAAAAAAAAAAAg");

        assertThat(typed.run("log dump /nowhere/orders-0")).isEqualTo(1);
        assertThat(typed.error()).contains("/nowhere/orders-0", "data/orders-0");
    }

    @Test
    void metadataIsLookedForWhereItIs() {
        assertThat(typed.run("metadata dump " + folder)).isEqualTo(1);
        assertThat(typed.error()).contains(folder.toString(), "log.dirs");
    }

    @Test
    void producersAndAbortedTransactionsAreRead() throws IOException {
        var producer = ByteBuffer.allocate(56).putShort((short) 1).putInt(0).putInt(1);
        producer.putLong(9)
                .putShort((short) 2)
                .putInt(4)
                .putLong(8)
                .putInt(1)
                .putLong(1234)
                .putInt(-1)
                .putLong(-1);
        var crc = new CRC32C();
        crc.update(producer.array(), 6, 50);
        producer.putInt(2, (int) crc.getValue());
        Path snapshot = Files.write(folder.resolve("00000000000000000009.snapshot"), producer.array());
        assertThat(typed.run("log dump --json " + snapshot)).isZero();
        assertThat(typed.out()).contains("\"producerId\":9", "\"lastSequence\":4", "\"lastOffset\":8");

        Files.write(snapshot, producer.put(20, (byte) 7).array());
        assertThat(typed.run("log dump " + snapshot)).isEqualTo(1);
        assertThat(typed.out()).contains("DAMAGED", "no snapshot of producers");

        var aborted = ByteBuffer.allocate(34).putShort((short) 0);
        aborted.putLong(9).putLong(5).putLong(7).putLong(8);
        Path index = Files.write(folder.resolve("00000000000000000005.txnindex"), aborted.array());
        assertThat(typed.run("log dump --json " + index)).isZero();
        assertThat(typed.out()).contains("\"firstOffset\":5", "\"lastStableOffset\":8");
        Files.write(index, new byte[33]);
        assertThat(typed.run("log dump " + index)).isEqualTo(1);
        assertThat(typed.out()).contains("no multiple of 34");
    }
}
