package io.moldau.wire.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.message.ProduceRequestData.PartitionProduceData;
import io.moldau.wire.message.ProduceRequestData.TopicProduceData;
import io.moldau.wire.protocol.HeapRecords;
import io.moldau.wire.protocol.MalformedMessageException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ByteBufRecordsTest {

    private static final short VERSION = 12;
    private static final String BATCHES = "these would be record batches";

    private static ByteBuf produceRequest() {
        var request = new ProduceRequestData()
                .setTopicData(List.of(new TopicProduceData()
                        .setName("t")
                        .setPartitionData(List.of(new PartitionProduceData()
                                .setIndex(3)
                                .setRecords(HeapRecords.of(BATCHES.getBytes(StandardCharsets.UTF_8)))))));
        var buffer = PooledByteBufAllocator.DEFAULT.directBuffer();
        request.write(new ByteBufWritable(buffer), VERSION);
        return buffer;
    }

    private static ByteBufRecords recordsOf(ByteBuf frame) {
        var request = new ProduceRequestData(new ByteBufReadable(frame), VERSION);
        var records = request.topicData().getFirst().partitionData().getFirst().records();
        return (ByteBufRecords) Objects.requireNonNull(records);
    }

    private static String text(ByteBufRecords records) {
        return StandardCharsets.UTF_8.decode(records.buffer()).toString();
    }

    @Test
    void recordsAreASliceOfTheFrame() {
        var frame = produceRequest();
        var records = recordsOf(frame);

        assertThat(records.sizeInBytes()).isEqualTo(BATCHES.length());
        assertThat(records.buffer().isDirect()).isTrue();
        assertThat(text(records)).isEqualTo(BATCHES);
        assertThat(records).isEqualTo(HeapRecords.of(BATCHES.getBytes(StandardCharsets.UTF_8)));

        // Stamping through the view changes the frame itself: nothing was copied.
        records.buffer().put(0, (byte) 'T');
        assertThat(frame.readerIndex(0).toString(StandardCharsets.UTF_8)).contains("These would be");
        frame.release();
    }

    @Test
    void recordsBorrowTheFramesReferenceUntilTheyAreRetained() {
        var frame = produceRequest();
        var records = recordsOf(frame);
        assertThat(frame.refCnt()).isEqualTo(1);

        var kept = records.retain();
        frame.release();
        assertThat(text(kept)).isEqualTo(BATCHES);

        kept.release();
        assertThat(frame.refCnt()).isZero();
        assertThatThrownBy(records::buffer).isInstanceOf(IllegalReferenceCountException.class);
    }

    @Test
    void aRequestThatFailsHalfWayLeavesNothingBehind() {
        var frame = produceRequest();
        frame.writerIndex(frame.writerIndex() - 1);

        assertThatThrownBy(() -> recordsOf(frame)).isInstanceOf(MalformedMessageException.class);

        assertThat(frame.refCnt()).isEqualTo(1);
        frame.release();
    }
}
