package io.moldau.ops.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.records.TopicSearch.Searched;
import io.moldau.testing.MockTime;
import io.moldau.wire.record.BatchBuilder;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopicSearchTest {

    private static final byte[] KEY = {1, 2};

    private final MockTime time = new MockTime();
    private final Map<Integer, @Nullable RecordSource> sources = new LinkedHashMap<>();

    /// A partition of so many records, of which the last ones have the key.
    private RecordSource partition(int records, int withKey, Duration slowness) {
        var builder = new BatchBuilder();
        for (int i = 0; i < records; i++) {
            builder.append(1, i < records - withKey ? new byte[] {9} : KEY, new byte[] {0});
        }
        ByteBuffer batch = builder.build();
        return new RecordSource() {
            @Override
            public Bounds bounds() {
                time.advance(slowness);
                return new Bounds(0, records);
            }

            @Override
            public long offsetAt(long timestampMs) {
                return 0;
            }

            @Override
            public ByteBuffer read(long offset) {
                return offset <= RecordBatch.at(batch).lastOffset() ? batch.duplicate() : ByteBuffer.allocate(0);
            }
        };
    }

    private TopicSearch.Answer search(int limit) {
        return search(limit, 0);
    }

    private TopicSearch.Answer search(int limit, int leftOff) {
        return TopicSearch.run(
                "words",
                sources,
                leftOff,
                new RecordQuery(new RecordQuery.Start.At(0), ByteBuffer.wrap(KEY), limit),
                time);
    }

    @Test
    void everyPartitionIsLookedAt() {
        sources.put(0, partition(10, 1, Duration.ZERO));
        sources.put(1, partition(20, 2, Duration.ZERO));

        TopicSearch.Answer answer = search(50);

        assertThat(answer.hits()).extracting(TopicSearch.Hit::partition).containsExactly(0, 1, 1);
        assertThat(answer.hits().getFirst().record().offset()).isEqualTo(9);
        assertThat(answer.scannedRecords()).isEqualTo(30);
        assertThat(answer.complete()).isTrue();
    }

    @Test
    void whatWasNotLookedAtIsTold() {
        sources.put(0, partition(10, 1, Duration.ofSeconds(6)));
        sources.put(1, null);
        sources.put(2, partition(10, 1, Duration.ZERO));

        TopicSearch.Answer answer = search(50);

        assertThat(answer.complete()).isFalse();
        assertThat(answer.searched()).extracting(Searched::stopped).containsExactly("end", "unreadable", "left");
        assertThat(answer.searched().get(1).why()).contains("no leader");
    }

    @Test
    void partitionsThatAreLeftOffAreNotComplete() {
        sources.put(0, partition(10, 1, Duration.ZERO));
        assertThat(search(50, 3).complete()).isFalse();
        assertThat(search(50, 3).leftOff()).isEqualTo(3);
    }

    @Test
    void enoughIsEnough() {
        sources.put(0, partition(10, 5, Duration.ZERO));
        sources.put(1, partition(10, 5, Duration.ZERO));

        TopicSearch.Answer answer = search(5);

        assertThat(answer.hits()).hasSize(5);
        assertThat(answer.complete()).isTrue();
        assertThat(answer.searched()).extracting(Searched::stopped).containsExactly("end", "left");
    }

    @Test
    void whoDoesNotAnswerDoesNotEndTheSearch() {
        sources.put(0, new RecordSource() {
            @Override
            public Bounds bounds() {
                throw new SourceException("nobody is there");
            }

            @Override
            public long offsetAt(long timestampMs) {
                throw new SourceException("nobody is there");
            }

            @Override
            public ByteBuffer read(long offset) {
                throw new SourceException("nobody is there");
            }
        });
        sources.put(1, partition(10, 1, Duration.ZERO));

        TopicSearch.Answer answer = search(50);

        assertThat(answer.hits()).hasSize(1);
        assertThat(answer.searched().getFirst().why()).isEqualTo("nobody is there");
        assertThat(answer.complete()).isFalse();
    }
}
