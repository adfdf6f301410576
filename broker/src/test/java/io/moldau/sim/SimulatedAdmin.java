package io.moldau.sim;

import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.metadata.controller.ControllerContext;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import io.moldau.wire.message.AlterPartitionReassignmentsResponseData;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopic;
import io.moldau.wire.message.CreateTopicsRequestData.CreatableTopicConfig;
import io.moldau.wire.message.CreateTopicsResponseData;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsRequestData.DeleteTopicState;
import io.moldau.wire.message.DeleteTopicsResponseData;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.ElectLeadersResponseData;
import io.moldau.wire.protocol.Message;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Creates and deletes topics, moves replicas and leaders at whichever controller is active, one thing
/// after the other, and tries again until it is done.
final class SimulatedAdmin extends SimulatedClient {

    private sealed interface Task {
        record Create(String topic, int partitions) implements Task {}

        record Delete(String topic) implements Task {}

        /// @param replicas null to call a move off
        record Reassign(TopicPartition partition, @Nullable List<Integer> replicas) implements Task {}

        record ElectPreferred() implements Task {}
    }

    private final ArrayDeque<Task> tasks = new ArrayDeque<>();
    private boolean busy;
    private int controller;

    SimulatedAdmin(SimulatedCluster cluster) {
        super(cluster, "admin", 400);
    }

    @Override
    void start() {
        refreshMetadata();
    }

    void create(String topic, int partitions) {
        tasks.add(new Task.Create(topic, partitions));
        next();
    }

    void delete(String topic) {
        tasks.add(new Task.Delete(topic));
        next();
    }

    void reassign(TopicPartition partition, @Nullable List<Integer> replicas) {
        tasks.add(new Task.Reassign(partition, replicas));
        next();
    }

    void electPreferredLeaders() {
        tasks.add(new Task.ElectPreferred());
        next();
    }

    boolean isDone() {
        return tasks.isEmpty();
    }

    private void next() {
        if (busy || tasks.isEmpty()) {
            return;
        }
        busy = true;
        Task task = tasks.getFirst();
        switch (task) {
            case Task.Create create ->
                forward((short) 7, createRequest(create)).whenComplete((response, failure) -> {
                    Errors error = response instanceof CreateTopicsResponseData created
                            ? Errors.forCode(created.topics().getFirst().errorCode())
                            : error(failure);
                    done(task, error, Set.of(Errors.TOPIC_ALREADY_EXISTS));
                });
            case Task.Delete delete -> {
                var request = new DeleteTopicsRequestData().setTimeoutMs(2_000);
                request.topics().add(new DeleteTopicState().setName(delete.topic()));
                forward((short) 6, request).whenComplete((response, failure) -> {
                    Errors error = response instanceof DeleteTopicsResponseData deleted
                            ? Errors.forCode(deleted.responses().getFirst().errorCode())
                            : error(failure);
                    done(task, error, Set.of(Errors.UNKNOWN_TOPIC_OR_PARTITION));
                });
            }
            case Task.Reassign reassign ->
                forward((short) 1, reassignRequest(reassign)).whenComplete((response, failure) -> {
                    Errors error = response instanceof AlterPartitionReassignmentsResponseData altered
                            ? Errors.forCode(altered.responses()
                                    .getFirst()
                                    .partitions()
                                    .getFirst()
                                    .errorCode())
                            : error(failure);
                    done(
                            task,
                            error,
                            Set.of(
                                    Errors.UNKNOWN_TOPIC_OR_PARTITION,
                                    Errors.NO_REASSIGNMENT_IN_PROGRESS,
                                    // A broker that is asked for is not registered, or what was there before is lost.
                                    Errors.INVALID_REPLICA_ASSIGNMENT));
                });
            case Task.ElectPreferred() -> {
                var request = new ElectLeadersRequestData()
                        .setElectionType((byte) 0)
                        .setTopicPartitions(null)
                        .setTimeoutMs(2_000);
                forward((short) 2, request).whenComplete((response, failure) -> {
                    Errors error = response instanceof ElectLeadersResponseData elected
                            ? Errors.forCode(elected.errorCode())
                            : error(failure);
                    done(task, error, Set.of());
                });
            }
        }
    }

    private static CreateTopicsRequestData createRequest(Task.Create create) {
        var topic = new CreatableTopic()
                .setName(create.topic())
                .setNumPartitions(create.partitions())
                .setReplicationFactor((short) Scenario.REPLICAS);
        topic.configs()
                .add(new CreatableTopicConfig()
                        .setName("min.insync.replicas")
                        .setValue(Integer.toString(Scenario.MIN_IN_SYNC)));
        var request = new CreateTopicsRequestData().setTimeoutMs(2_000);
        request.topics().add(topic);
        return request;
    }

    private static AlterPartitionReassignmentsRequestData reassignRequest(Task.Reassign reassign) {
        var topic = new ReassignableTopic().setName(reassign.partition().topic());
        topic.partitions()
                .add(new ReassignablePartition()
                        .setPartitionIndex(reassign.partition().partition())
                        .setReplicas(reassign.replicas()));
        var request = new AlterPartitionReassignmentsRequestData().setTimeoutMs(2_000);
        request.topics().add(topic);
        return request;
    }

    private CompletableFuture<Message> forward(short version, Message request) {
        return ask(controller, "forward", process -> {
            SimulatedNode.LocalController local = process.localController();
            if (local == null) {
                throw new AssertionError("node " + controller + " is no controller");
            }
            return local.forward(new ControllerContext("User:admin", name(), version, local.deadline(2_000)), request);
        });
    }

    private void done(Task task, Errors error, Set<Errors> alsoFine) {
        busy = false;
        cluster().log().note(this, "admin", task + " " + error);
        if (error == Errors.NONE || alsoFine.contains(error)) {
            tasks.removeFirst();
            next();
            return;
        }
        switch (error) {
            case NOT_CONTROLLER, NETWORK_EXCEPTION, REQUEST_TIMED_OUT, BROKER_NOT_AVAILABLE ->
                controller = (controller + 1) % cluster().scenario().controllers();
            // Too few brokers are there at the moment.
            case INVALID_REPLICATION_FACTOR -> {}
            default -> cluster().fail(task + " was answered " + error, null);
        }
        later(50 + random().nextInt(200), "admin", this::next);
    }
}
