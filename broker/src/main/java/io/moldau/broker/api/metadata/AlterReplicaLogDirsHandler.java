package io.moldau.broker.api.metadata;

import io.moldau.broker.replica.ReplicaMoves;
import io.moldau.broker.request.LateAnswer;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.wire.message.AlterReplicaLogDirsRequestData;
import io.moldau.wire.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDir;
import io.moldau.wire.message.AlterReplicaLogDirsRequestData.AlterReplicaLogDirTopic;
import io.moldau.wire.message.AlterReplicaLogDirsResponseData;
import io.moldau.wire.message.AlterReplicaLogDirsResponseData.AlterReplicaLogDirPartitionResult;
import io.moldau.wire.message.AlterReplicaLogDirsResponseData.AlterReplicaLogDirTopicResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// AlterReplicaLogDirs, versions 1 and 2: has replicas of this broker moved to other log
/// directories (KIP-113). The answer says whether a move has begun; DescribeLogDirs tells how far
/// it is. Waits for the disk, so it runs on a background thread.
public final class AlterReplicaLogDirsHandler implements RequestHandler<AlterReplicaLogDirsRequestData> {

    private static final Logger LOG = LoggerFactory.getLogger(AlterReplicaLogDirsHandler.class);

    private final ReplicaMoves moves;
    private final Runnable begun;
    private final Executor background;

    /// @param begun called after moves may have begun
    public AlterReplicaLogDirsHandler(ReplicaMoves moves, Runnable begun, Executor background) {
        this.moves = moves;
        this.begun = begun;
        this.background = background;
    }

    @Override
    public void handle(RequestContext context, AlterReplicaLogDirsRequestData request) {
        background.execute(() -> LateAnswer.give(context, () -> context.respond(answer(request))));
    }

    private AlterReplicaLogDirsResponseData answer(AlterReplicaLogDirsRequestData request) {
        // As in Kafka the last directory named for a partition counts, and each partition is
        // answered once.
        Map<TopicPartition, String> wanted = new LinkedHashMap<>();
        for (AlterReplicaLogDir directory : request.dirs()) {
            for (AlterReplicaLogDirTopic topic : directory.topics()) {
                topic.partitions()
                        .forEach(number -> wanted.put(new TopicPartition(topic.name(), number), directory.path()));
            }
        }
        Map<String, List<AlterReplicaLogDirPartitionResult>> byTopic = new LinkedHashMap<>();
        wanted.forEach((partition, directory) -> byTopic.computeIfAbsent(partition.topic(), name -> new ArrayList<>())
                .add(new AlterReplicaLogDirPartitionResult()
                        .setPartitionIndex(partition.partition())
                        .setErrorCode(move(partition, directory).code())));
        begun.run();
        List<AlterReplicaLogDirTopicResult> results = new ArrayList<>();
        byTopic.forEach((name, partitions) -> results.add(
                new AlterReplicaLogDirTopicResult().setTopicName(name).setPartitions(partitions)));
        return new AlterReplicaLogDirsResponseData().setResults(results);
    }

    private Errors move(TopicPartition partition, String directory) {
        try {
            moves.move(partition, directory);
            return Errors.NONE;
        } catch (ApiException e) {
            LOG.info("A replica is not moved partition={} to={} reason={}", partition, directory, e.getMessage());
            return e.error();
        }
    }
}
