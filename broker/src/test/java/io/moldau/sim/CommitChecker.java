package io.moldau.sim;

import io.moldau.common.TopicIdPartition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What was committed stays, as it was: an acknowledged record is committed, a consumer sees committed records only,
/// and of each producer every record once and in order.
final class CommitChecker {

    private final SimulatedCluster cluster;
    private final LogChecker logs;
    private final Map<TopicIdPartition, History> histories = new HashMap<>();

    CommitChecker(SimulatedCluster cluster, LogChecker logs) {
        this.cluster = cluster;
        this.logs = logs;
    }

    History history(TopicIdPartition partition) {
        return histories.computeIfAbsent(partition, key -> new History());
    }

    /// A leader says that everything below is committed.
    void committed(SimulatedNode leader, TopicIdPartition id, int leaderEpoch, int highWatermark) {
        History history = history(id);
        ReplicaMirror mirror = logs.mirror(leader.id(), id);
        if (highWatermark > mirror.size()) {
            cluster.fail(
                    leader + " says " + id.topicPartition() + " is committed up to " + highWatermark
                            + " and has records up to " + mirror.size() + " only",
                    null);
            return;
        }
        for (int offset = history.size(); offset < highWatermark; offset++) {
            long content = mirror.content(offset);
            history.append(mirror.epoch(offset), content, leaderEpoch);
            boolean transactional =
                    cluster.checks().transactions().committed(id, offset, mirror.epoch(offset), content);
            if (content >= 0 && !transactional && !Checks.isInternal(id)) {
                int producer = (int) (content >> 32);
                int sequence = (int) content;
                int expected = history.nextSequence(producer);
                if (sequence != expected) {
                    cluster.fail(
                            "record " + sequence + " of producer " + producer + " is committed in "
                                    + id.topicPartition() + " at " + offset + " where " + expected
                                    + " should be: " + (sequence < expected ? "a duplicate" : "a gap"),
                            null);
                }
                history.sequence(producer, sequence);
            }
        }
    }

    /// A replica begins to lead: it must have everything that was committed in earlier epochs. It may hear late that it
    /// was elected, when others have led after it.
    void elected(SimulatedNode leader, TopicIdPartition id, int leaderEpoch) {
        History history = history(id);
        ReplicaMirror mirror = logs.mirror(leader.id(), id);
        for (int offset = 0; offset < history.size(); offset++) {
            if (history.committedIn(offset) < leaderEpoch && !history.isIn(mirror, offset)) {
                cluster.fail(
                        leader + " leads " + id.topicPartition() + " in epoch " + leaderEpoch
                                + " and has lost the committed record at " + offset + "; " + history.size()
                                + " are committed, it has " + mirror.size(),
                        null);
                return;
            }
        }
    }

    void acknowledged(TopicIdPartition id, int leader, int producer, int firstSequence, int count, long baseOffset) {
        History history = history(id);
        for (int i = 0; i < count; i++) {
            long offset = baseOffset + i;
            if (offset < 0 || offset >= history.size()) {
                cluster.fail(
                        "node " + leader + " acknowledged " + id.topicPartition() + " at " + offset + " where only "
                                + history.size() + " records are committed",
                        null);
                return;
            }
            long expected = new Payload(producer, firstSequence + i).packed();
            if (history.content((int) offset) != expected) {
                cluster.fail(
                        "node " + leader + " acknowledged record " + (firstSequence + i) + " of producer " + producer
                                + " in " + id.topicPartition() + " at " + offset + " where another is committed: "
                                + Long.toHexString(history.content((int) offset)),
                        null);
                return;
            }
        }
    }

    void consumed(TopicIdPartition id, long expected, long offset, long content) {
        History history = history(id);
        if (offset != expected) {
            cluster.fail("a consumer of " + id.topicPartition() + " at " + expected + " was given " + offset, null);
        } else if (offset >= history.size() || history.content((int) offset) != content) {
            cluster.fail(
                    "a consumer of " + id.topicPartition() + " was given at " + offset
                            + " what is not committed there; " + history.size() + " are committed",
                    null);
        }
    }

    void finalLook(TopicIdPartition id, List<ReplicaMirror> mirrors) {
        History history = history(id);
        for (ReplicaMirror mirror : mirrors) {
            boolean same = mirror.size() >= history.size();
            for (int offset = 0; same && offset < history.size(); offset++) {
                same = history.isIn(mirror, offset);
            }
            if (!same) {
                cluster.fail(
                        "the replicas of " + id.topicPartition() + " differ at the end: sizes "
                                + mirrors.stream().map(ReplicaMirror::size).toList() + ", " + history.size()
                                + " are committed",
                        null);
                return;
            }
        }
    }
}
