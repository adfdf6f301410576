package io.moldau.broker.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.replica.AppendTerms;
import io.moldau.broker.replica.FetchIsolation;
import io.moldau.common.Errors;
import io.moldau.wire.message.WriteTxnMarkersRequestData;
import io.moldau.wire.message.WriteTxnMarkersRequestData.WritableTxnMarker;
import io.moldau.wire.message.WriteTxnMarkersRequestData.WritableTxnMarkerTopic;
import io.moldau.wire.message.WriteTxnMarkersResponseData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What markers do to partitions, when they are answered and how.
class MarkerWriterTest {

    private static final String OFFSETS = "__consumer_offsets";

    @TempDir
    private Path data;

    private LedPartitions node;
    private MarkerWriter writer;
    private final List<TransactionEnd> ends = new ArrayList<>();
    private final List<Consumer<Errors>> endsAnswers = new ArrayList<>();
    private final List<WriteTxnMarkersResponseData> answers = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        node = new LedPartitions(data);
        node.metadata
                .topic("t", 2)
                .topic("replicated")
                .partition("replicated", 0, 1, List.of(1, 2), List.of(1, 2))
                .partition("replicated", 1, 2, List.of(1, 2), List.of(1, 2))
                .topic(OFFSETS, 1)
                .publish();
        writer = new MarkerWriter(
                node.partitions,
                OFFSETS,
                (partition, end, done) -> {
                    ends.add(end);
                    endsAnswers.add(done);
                },
                node.time,
                node.timer,
                node.background::add,
                30_000);
    }

    @AfterEach
    void stop() {
        assertThat(node.faults.faults()).isEmpty();
        node.close();
    }

    private static WritableTxnMarker marker(int epoch, int coordinatorEpoch, int version, boolean commit) {
        return new WritableTxnMarker()
                .setProducerId(7L)
                .setProducerEpoch((short) epoch)
                .setCoordinatorEpoch(coordinatorEpoch)
                .setTransactionVersion((byte) version)
                .setTransactionResult(commit);
    }

    private static WritableTxnMarkerTopic at(String topic, Integer... partitions) {
        return new WritableTxnMarkerTopic().setName(topic).setPartitionIndexes(List.of(partitions));
    }

    private void write(WritableTxnMarker... markers) {
        writer.write(new WriteTxnMarkersRequestData().setMarkers(List.of(markers)), answers::add);
    }

    private List<String> errors() {
        var found = new ArrayList<String>();
        for (var marker : answers.getLast().markers()) {
            for (var topic : marker.topics()) {
                topic.partitions()
                        .forEach(it ->
                                found.add(topic.name() + it.partitionIndex() + " " + Errors.forCode(it.errorCode())));
            }
        }
        return found;
    }

    private Errors only(WritableTxnMarker marker) {
        marker.setTopics(List.of(at("t", 0)));
        write(marker);
        var error = errors().getFirst();
        return Errors.valueOf(error.substring(error.indexOf(' ') + 1));
    }

    private void open(int epoch) {
        node.partition("t", 0)
                .appendAsLeader(LedPartitions.batch(7L, epoch, 0, 3), AppendTerms.CLIENT_ALL, outcome -> {});
    }

    @Test
    void aMarkerEndsTheTransaction() {
        open(3);
        var partition = node.partition("t", 0);
        assertThat(partition.lastStableOffset()).isZero();
        assertThat(only(marker(4, 1, 2, false))).isEqualTo(Errors.NONE);
        assertThat(partition.lastStableOffset()).isEqualTo(4);
        assertThat(partition.log().abortedTransactions(0, 4)).hasSize(1);
        assertThat(partition.read(0, 1000, true, FetchIsolation.LAST_STABLE_OFFSET, -1, -1, true))
                .isNotNull();
    }

    @Test
    void eachPartitionHasItsAnswer() {
        write(
                marker(3, 1, 0, true).setTopics(List.of(at("t", 0, 1, 2), at("nowhere", 0), at("replicated", 1))),
                marker(4, 1, 0, true).setTopics(List.of(at("t", 0))));
        assertThat(errors())
                .containsExactly(
                        "t0 NONE",
                        "t1 NONE",
                        "t2 UNKNOWN_TOPIC_OR_PARTITION",
                        "nowhere0 UNKNOWN_TOPIC_OR_PARTITION",
                        "replicated1 NOT_LEADER_OR_FOLLOWER",
                        "t0 NONE");
        write();
        assertThat(answers.getLast().markers()).isEmpty();
    }

    @Test
    void aCoordinatorThatIsOneNoMoreIsRefused() {
        assertThat(only(marker(3, 5, 0, true))).isEqualTo(Errors.NONE);
        assertThat(only(marker(3, 4, 0, true))).isEqualTo(Errors.TRANSACTION_COORDINATOR_FENCED);
        assertThat(only(marker(2, 6, 0, true))).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
        assertThat(only(marker(3, 5, 0, true))).isEqualTo(Errors.NONE);
    }

    @Test
    void aMarkerOfVersionTwoIsOfAnEpochBehindThatOfTheData() {
        open(3);
        assertThat(only(marker(3, 1, 2, true))).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
        assertThat(only(marker(4, 1, 2, true))).isEqualTo(Errors.NONE);
        // Written once more, because the coordinator has not heard of it.
        assertThat(only(marker(4, 1, 2, true))).isEqualTo(Errors.NONE);
        open(4);
        assertThat(only(marker(4, 1, 2, true))).isEqualTo(Errors.INVALID_PRODUCER_EPOCH);
        assertThat(only(marker(4, 1, 0, true))).isEqualTo(Errors.NONE);
    }

    @Test
    void theLastEpochHasNoneBehindIt() {
        open(Short.MAX_VALUE);
        assertThat(only(marker(Short.MAX_VALUE, 1, 2, true))).isEqualTo(Errors.NONE);
    }

    @Test
    void markersOfOffsetsAreLeftToTheGroupCoordinator() {
        write(marker(3, 1, 2, true).setTopics(List.of(at(OFFSETS, 0), at("t", 0))));
        assertThat(answers).isEmpty();
        assertThat(ends).containsExactly(new TransactionEnd(7L, (short) 3, 1, true, 2));
        endsAnswers.getFirst().accept(Errors.NOT_COORDINATOR);
        assertThat(errors()).containsExactly(OFFSETS + "0 NOT_LEADER_OR_FOLLOWER", "t0 NONE");
        assertThat(node.partition(OFFSETS, 0).logEndOffset()).isZero();
    }

    @Test
    void aMarkerThatIsNotReplicatedInTimeIsToldSo() {
        write(marker(3, 1, 2, true).setTopics(List.of(at("replicated", 0), at("t", 0))));
        node.advance(29_000);
        assertThat(answers).isEmpty();
        node.advance(2_000);
        assertThat(errors()).containsExactly("replicated0 REQUEST_TIMED_OUT", "t0 NONE");
    }
}
