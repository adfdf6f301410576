package io.moldau.sim;

import io.moldau.broker.coordinator.group.OffsetsTopic;
import io.moldau.common.Errors;
import io.moldau.common.TopicIdPartition;
import io.moldau.wire.message.OffsetCommitResponseData;
import io.moldau.wire.message.OffsetFetchResponseData;
import io.moldau.wire.protocol.ApiKey;

/// Commits ever larger offsets for one partition under a group of its own, and looks now and then what is committed:
/// never less than what was acknowledged before it asked.
final class SimulatedCommitter extends SimulatedClient {

    private final String group;
    private final TopicIdPartition partition;
    private long next = 1;
    private long acknowledged = -1;
    private long acknowledgements;
    private long lookUps;

    SimulatedCommitter(SimulatedCluster cluster, int number, TopicIdPartition partition) {
        super(cluster, "group-" + number, 300 + number);
        this.group = "group-" + number;
        this.partition = partition;
    }

    /// How many commits were acknowledged and how many look-ups answered, for the look at progress.
    long progress() {
        return Math.min(acknowledgements, lookUps);
    }

    @Override
    void start() {
        later(1, "commit", this::act);
    }

    private void act() {
        int coordinator = coordinator(OffsetsTopic.NAME, group);
        if (coordinator < 0) {
            again(Errors.LEADER_NOT_AVAILABLE);
        } else if (random().nextBoolean()) {
            commit(coordinator);
        } else {
            look(coordinator);
        }
    }

    private void again(Errors error) {
        switch (error) {
            case NONE -> {}
            case COORDINATOR_LOAD_IN_PROGRESS,
                    COORDINATOR_NOT_AVAILABLE,
                    NOT_COORDINATOR,
                    LEADER_NOT_AVAILABLE,
                    REQUEST_TIMED_OUT,
                    NETWORK_EXCEPTION,
                    UNKNOWN_TOPIC_OR_PARTITION -> refreshMetadata();
            default -> cluster().fail(group + " was answered " + error, null);
        }
        later(20 + random().nextInt(150), "commit", this::act);
    }

    private void commit(int coordinator) {
        long offset = next++;
        var request = OffsetRequests.commit(group, -1, partition, offset);
        send(coordinator, ApiKey.OFFSET_COMMIT, 8, request, OffsetCommitResponseData.class)
                .whenComplete((response, failure) -> {
                    Errors error = response == null ? error(failure) : OffsetRequests.errorOf(response);
                    cluster().log().note(this, "commit", error.toString(), offset, coordinator);
                    if (error == Errors.NONE) {
                        acknowledged = Math.max(acknowledged, offset);
                        acknowledgements++;
                    }
                    again(error);
                });
    }

    private void look(int coordinator) {
        long atLeast = acknowledged;
        long below = next;
        var request = OffsetRequests.fetch(group, partition);
        send(coordinator, ApiKey.OFFSET_FETCH, 8, request, OffsetFetchResponseData.class)
                .whenComplete((response, failure) -> {
                    if (response == null) {
                        again(error(failure));
                        return;
                    }
                    var answer = response.groups().getFirst();
                    Errors error = Errors.forCode(answer.errorCode());
                    if (error == Errors.NONE) {
                        long found = OffsetRequests.offsetOf(answer);
                        cluster().log().note(this, "committed", "", found, coordinator);
                        lookUps++;
                        if (cluster().checks().leads(coordinator, OffsetsTopic.NAME, group)
                                && (found < atLeast || found >= below)) {
                            cluster()
                                    .fail(
                                            group + " committed " + atLeast + " and finds " + found + " at node "
                                                    + coordinator,
                                            null);
                        }
                    }
                    again(error);
                });
    }
}
