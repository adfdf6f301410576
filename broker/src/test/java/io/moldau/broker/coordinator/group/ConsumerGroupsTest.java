package io.moldau.broker.coordinator.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.coordinator.group.consumer.ConsumerGroupState;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData;
import io.moldau.wire.message.ConsumerGroupHeartbeatRequestData.TopicPartitions;
import io.moldau.wire.message.ConsumerGroupHeartbeatResponseData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Consumer groups of one shard: each transition of members and groups, and each error.
class ConsumerGroupsTest {

    private final GroupHarness it = new GroupHarness();
    private Uuid topic = Uuid.ZERO;

    @BeforeEach
    void aTopic() {
        topic = it.topic("t", 6);
    }

    // ---- joining and dividing ----

    @Test
    void whoIsAloneGetsEverything() {
        var joined = it.heartbeat(it.joining("a", "t"));
        assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.NONE);
        assertThat(joined.memberId()).isEqualTo("a");
        assertThat(joined.memberEpoch()).isEqualTo(2);
        assertThat(joined.heartbeatIntervalMs()).isEqualTo(GroupHarness.CONSUMER_HEARTBEAT_MS);
        assertThat(assigned(joined)).isEqualTo(Map.of(topic, Set.of(0, 1, 2, 3, 4, 5)));
        assertThat(it.consumerGroup().state()).isEqualTo(ConsumerGroupState.STABLE);
    }

    @Test
    void whatHasNotChangedIsNotTold() {
        it.heartbeat(it.joining("a", "t"));
        var next = it.heartbeat(it.beat("a", 2));
        assertThat(next.memberEpoch()).isEqualTo(2);
        assertThat(next.assignment()).isNull();
        assertThat(it.log()).hasSize(5); // member, epoch, target, target's epoch, current
    }

    @Test
    void partitionsMoveOnlyOnceTheirOwnerHasLetThemGo() {
        it.heartbeat(it.joining("a", "t"));
        var joined = it.heartbeat(it.joining("b", "t"));
        assertThat(joined.memberEpoch()).isEqualTo(3);
        assertThat(assigned(joined)).as("all belong to the other still").isEmpty();
        assertThat(it.consumerGroup().state()).isEqualTo(ConsumerGroupState.RECONCILING);

        var asked = it.heartbeat(it.beat("a", 2));
        assertThat(asked.memberEpoch())
                .as("it stays in its epoch while it gives up")
                .isEqualTo(2);
        var kept = assigned(asked);
        assertThat(count(kept)).isEqualTo(3);
        assertThat(assigned(it.heartbeat(it.beat("b", 3)))).isNull();

        var done = it.heartbeat(owning(it.beat("a", 2), kept));
        assertThat(done.memberEpoch()).isEqualTo(3);
        assertThat(done.assignment()).as("it has what it had").isNull();
        var rest = assigned(it.heartbeat(it.beat("b", 3)));
        assertThat(count(rest)).isEqualTo(3);
        assertThat(it.consumerGroup().state()).isEqualTo(ConsumerGroupState.STABLE);
        var all = new TreeSet<>(java.util.Objects.requireNonNull(kept).get(topic));
        all.addAll(java.util.Objects.requireNonNull(rest).get(topic));
        assertThat(all).hasSize(6);
    }

    @Test
    void aMemberOfVersionZeroIsGivenAnId() {
        var joined = it.heartbeat(it.joining("", "t"), 0).get();
        assertThat(Errors.forCode(joined.errorCode())).isEqualTo(Errors.NONE);
        assertThat(joined.memberId()).isNotEmpty();
    }

    // ---- tools ----

    static ConsumerGroupHeartbeatRequestData owning(
            ConsumerGroupHeartbeatRequestData request, @Nullable Map<Uuid, ? extends Set<Integer>> owned) {
        var topics = new ArrayList<TopicPartitions>();
        if (owned != null) {
            owned.forEach((id, partitions) ->
                    topics.add(new TopicPartitions().setTopicId(id).setPartitions(List.copyOf(partitions))));
        }
        return request.setTopicPartitions(topics);
    }

    /// What the answer says the member has, or null if it says nothing.
    static @Nullable Map<Uuid, Set<Integer>> assigned(ConsumerGroupHeartbeatResponseData response) {
        var assignment = response.assignment();
        if (assignment == null) {
            return null;
        }
        var partitions = new TreeMap<Uuid, Set<Integer>>();
        assignment.topicPartitions().forEach(it -> partitions.put(it.topicId(), new TreeSet<>(it.partitions())));
        return partitions;
    }

    static int count(@Nullable Map<Uuid, Set<Integer>> partitions) {
        return partitions == null
                ? -1
                : partitions.values().stream().mapToInt(Set::size).sum();
    }
}
