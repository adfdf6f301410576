package io.moldau.ops.lag;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.cluster.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// What an administrator's client finds, again and again: where groups stand, and where partitions end. Both only ever
/// grow in this test, so that what a node found between two looks lies between what these found.
final class Looks implements Callable<@Nullable Void> {

    private static final Duration PAUSE = Duration.ofMillis(20);

    /// One of them.
    ///
    /// @param beganMs by the wall clock, as all times here: all processes are on one machine
    /// @param committed nothing for partitions a group has committed nothing for
    record Look(
            long beganMs,
            long endedMs,
            Map<String, Map<TopicPartition, Long>> committed,
            Map<TopicPartition, Long> ends) {

        long committed(String group, TopicPartition partition) {
            return committed.getOrDefault(group, Map.of()).getOrDefault(partition, 0L);
        }

        long end(TopicPartition partition) {
            return Objects.requireNonNull(ends.get(partition));
        }
    }

    private final Admin admin;
    private final List<String> groups;
    private final List<TopicPartition> partitions;
    private final AtomicBoolean stop;

    /// Guarded by itself.
    private final List<Look> taken = new ArrayList<>();

    Looks(Admin admin, List<String> groups, List<TopicPartition> partitions, AtomicBoolean stop) {
        this.admin = admin;
        this.groups = groups;
        this.partitions = partitions;
        this.stop = stop;
    }

    @Override
    public @Nullable Void call() throws Exception {
        var wanted = partitions.stream().collect(Collectors.toMap(it -> it, it -> OffsetSpec.latest()));
        var asked = groups.stream()
                .collect(Collectors.toMap(
                        it -> it, it -> new ListConsumerGroupOffsetsSpec().topicPartitions(partitions)));
        while (!stop.get()) {
            long beganMs = System.currentTimeMillis();
            var committed = new HashMap<String, Map<TopicPartition, Long>>();
            admin.listConsumerGroupOffsets(asked).all().get().forEach((group, offsets) -> {
                var known = new HashMap<TopicPartition, Long>();
                offsets.forEach((partition, offset) -> {
                    if (offset != null) {
                        known.put(partition, offset.offset());
                    }
                });
                committed.put(group, known);
            });
            var ends = new HashMap<TopicPartition, Long>();
            admin.listOffsets(wanted).all().get().forEach((partition, info) -> ends.put(partition, info.offset()));
            var look = new Look(beganMs, System.currentTimeMillis(), committed, ends);
            synchronized (taken) {
                taken.add(look);
            }
            Await.pass(PAUSE);
        }
        return null;
    }

    int count() {
        synchronized (taken) {
            return taken.size();
        }
    }

    /// The last one that had ended by then; null if there is none.
    @Nullable
    Look before(long ms) {
        synchronized (taken) {
            return taken.stream()
                    .filter(look -> look.endedMs() < ms)
                    .reduce((one, next) -> next)
                    .orElse(null);
        }
    }

    /// The first one that began later; null if there is none.
    @Nullable
    Look after(long ms) {
        synchronized (taken) {
            return taken.stream()
                    .filter(look -> look.beganMs() > ms)
                    .findFirst()
                    .orElse(null);
        }
    }

    /// The test stands on this.
    void onlyGrow() {
        synchronized (taken) {
            for (int i = 1; i < taken.size(); i++) {
                Look older = taken.get(i - 1);
                Look newer = taken.get(i);
                for (TopicPartition partition : partitions) {
                    assertThat(newer.end(partition)).as("%s", partition).isGreaterThanOrEqualTo(older.end(partition));
                    for (String group : groups) {
                        assertThat(newer.committed(group, partition))
                                .as("%s of %s", partition, group)
                                .isGreaterThanOrEqualTo(older.committed(group, partition));
                    }
                }
            }
        }
    }
}
