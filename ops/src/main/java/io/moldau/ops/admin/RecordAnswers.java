package io.moldau.ops.admin;

import io.moldau.broker.NodeView;
import io.moldau.broker.replica.HostedPartition;
import io.moldau.broker.replica.Partition;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.ops.records.Bytes;
import io.moldau.ops.records.LeaderSource;
import io.moldau.ops.records.LocalSource;
import io.moldau.ops.records.RecordPage;
import io.moldau.ops.records.RecordQuery;
import io.moldau.ops.records.RecordSearch;
import io.moldau.ops.records.RecordSource;
import io.moldau.ops.records.SourceException;
import io.moldau.ops.records.TopicSearch;
import io.moldau.ops.state.LeaderReads;
import io.moldau.ops.state.Leaders;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Answers what is in a partition. So many searches at a time; another one waits a little, and is then refused.
final class RecordAnswers {

    private static final int SEARCHES = 2;
    private static final long WAIT_SECONDS = 5;

    private static final int USUAL_RECORDS = 50;
    private static final int MOST_RECORDS = 500;

    private final NodeView node;
    private final LeaderReads leaders;
    private final Semaphore searches = new Semaphore(SEARCHES);

    RecordAnswers(NodeView node, LeaderReads leaders) {
        this.node = node;
        this.leaders = leaders;
    }

    RecordPage page(TopicImage topic, Parameters asked) {
        asked.only("offset", "time", "newest", "key", "keyHex", "limit");
        int id = asked.numberNamed("partition");
        PartitionRegistration partition = topic.partition(id);
        if (partition == null) {
            throw new Refusal(404, "topic " + topic.name() + " has no partition " + id);
        }
        var name = new TopicPartition(topic.name(), id);
        RecordSource source = source(name, partition);
        if (source == null) {
            throw new Refusal(503, name + " is offline: it has no leader, so nobody can read it");
        }
        RecordQuery query = query(asked);
        return oneOfFew(() -> new RecordSearch(source, query, node.time()).run(name, partition.leader()));
    }

    TopicSearch.Answer find(TopicImage topic, Parameters asked) {
        asked.only("time", "key", "keyHex", "limit");
        RecordQuery query = query(asked);
        if (query.key() == null) {
            throw new Refusal(400, "say which key: key=TEXT, or keyHex=BYTES");
        }
        Map<Integer, @Nullable RecordSource> sources = new LinkedHashMap<>();
        new TreeSet<>(topic.partitions().keySet())
                .stream()
                        .limit(TopicSearch.MOST_PARTITIONS)
                        .forEach(id -> sources.put(
                                id,
                                source(
                                        new TopicPartition(topic.name(), id),
                                        topic.partitions().get(id))));
        return oneOfFew(() ->
                TopicSearch.run(topic.name(), sources, topic.partitions().size() - sources.size(), query, node.time()));
    }

    /// Null if nobody leads it.
    private @Nullable RecordSource source(TopicPartition name, @Nullable PartitionRegistration partition) {
        NodeView.Broker broker = node.broker();
        if (broker != null
                && broker.partitions().get(name) instanceof HostedPartition.Online(Partition replica)
                && replica.isLeader()) {
            return new LocalSource(replica);
        }
        return partition == null || Leaders.isOffline(node.image().get().cluster(), partition)
                ? null
                : new LeaderSource(leaders, name);
    }

    private static RecordQuery query(Parameters asked) {
        Long offset = asked.number("offset", 0, Long.MAX_VALUE);
        Long timestamp = asked.number("time", 0, Long.MAX_VALUE);
        boolean newest = asked.flag("newest");
        if ((offset == null ? 0 : 1) + (timestamp == null ? 0 : 1) + (newest ? 1 : 0) > 1) {
            throw new Refusal(400, "say one of offset, time and newest");
        }
        RecordQuery.Start start = newest
                ? new RecordQuery.Start.Newest()
                : timestamp != null
                        ? new RecordQuery.Start.Since(timestamp)
                        : new RecordQuery.Start.At(offset == null ? 0 : offset);
        return new RecordQuery(start, key(asked), asked.number("limit", USUAL_RECORDS, 1, MOST_RECORDS));
    }

    private static @Nullable ByteBuffer key(Parameters asked) {
        String text = asked.text("key");
        String hex = asked.text("keyHex");
        if (text != null && hex != null) {
            throw new Refusal(400, "say one of key and keyHex");
        }
        try {
            return text != null ? Bytes.ofText(text) : hex != null ? Bytes.ofHex(hex) : null;
        } catch (IllegalArgumentException e) {
            throw new Refusal(400, "the key is not as it has to be: " + e.getMessage());
        }
    }

    private <T> T oneOfFew(Supplier<T> search) {
        boolean mine = false;
        try {
            mine = searches.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS);
            if (!mine) {
                throw new Refusal(503, "others are searching, and a node does " + SEARCHES + " searches at a time");
            }
            return search.get();
        } catch (SourceException e) {
            throw new Refusal(503, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            // The server is closing.
            Thread.currentThread().interrupt();
            throw new Refusal(503, "the node is stopping");
        } finally {
            if (mine) {
                searches.release();
            }
        }
    }
}
