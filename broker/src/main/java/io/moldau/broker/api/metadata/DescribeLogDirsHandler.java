package io.moldau.broker.api.metadata;

import io.moldau.broker.request.LateAnswer;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.log.FutureLog;
import io.moldau.log.LogView;
import io.moldau.log.PartitionLog;
import io.moldau.log.dir.LogDirState;
import io.moldau.log.dir.LogDirs;
import io.moldau.wire.message.DescribeLogDirsRequestData;
import io.moldau.wire.message.DescribeLogDirsRequestData.DescribableLogDirTopic;
import io.moldau.wire.message.DescribeLogDirsResponseData;
import io.moldau.wire.message.DescribeLogDirsResponseData.DescribeLogDirsPartition;
import io.moldau.wire.message.DescribeLogDirsResponseData.DescribeLogDirsResult;
import io.moldau.wire.message.DescribeLogDirsResponseData.DescribeLogDirsTopic;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// DescribeLogDirs, versions 1 to 5: which partitions lie where, and how large they are.
///
/// v3 added an error of the whole, v4 the size of the volumes (KIP-827), v5 cordoned directories. Asks the file system,
/// so it runs on a background thread.
public final class DescribeLogDirsHandler implements RequestHandler<DescribeLogDirsRequestData> {

    private static final Logger LOG = LoggerFactory.getLogger(DescribeLogDirsHandler.class);

    private final LogDirs logDirs;
    private final Executor background;

    public DescribeLogDirsHandler(LogDirs logDirs, Executor background) {
        this.logDirs = logDirs;
        this.background = background;
    }

    @Override
    public void handle(RequestContext context, DescribeLogDirsRequestData request) {
        background.execute(() -> LateAnswer.give(context, () -> context.respond(answer(request))));
    }

    private DescribeLogDirsResponseData answer(DescribeLogDirsRequestData request) {
        Set<TopicPartition> wanted = wanted(request.topics());
        List<DescribeLogDirsResult> results = new ArrayList<>();
        for (LogDirState directory : logDirs.directories()) {
            results.add(
                    switch (directory) {
                        case LogDirState.Online online -> online(online.path(), wanted);
                        case LogDirState.Offline offline -> offline(offline.path());
                    });
        }
        return new DescribeLogDirsResponseData().setResults(results);
    }

    /// Null stands for all partitions.
    private static @Nullable Set<TopicPartition> wanted(@Nullable List<DescribableLogDirTopic> topics) {
        if (topics == null) {
            return null;
        }
        Set<TopicPartition> wanted = new HashSet<>();
        for (DescribableLogDirTopic topic : topics) {
            topic.partitions().forEach(partition -> wanted.add(new TopicPartition(topic.topic(), partition)));
        }
        return wanted;
    }

    private DescribeLogDirsResult online(Path directory, @Nullable Set<TopicPartition> wanted) {
        Map<String, List<DescribeLogDirsPartition>> byTopic = new TreeMap<>();
        for (PartitionLog log : logDirs.logs()) {
            TopicPartition partition = log.topicPartition();
            if (!log.logDir().equals(directory)
                    || (wanted != null && !wanted.contains(partition))
                    // Its offsets are not known as long as it is checked after a crash.
                    || log.isInDoubt()) {
                continue;
            }
            LogView view = log.view();
            byTopic.computeIfAbsent(partition.topic(), topic -> new ArrayList<>())
                    .add(new DescribeLogDirsPartition()
                            .setPartitionIndex(partition.partition())
                            .setPartitionSize(view.sizeInBytes())
                            .setOffsetLag(Math.max(0, log.highWatermark() - view.logEndOffset())));
        }
        for (FutureLog copy : logDirs.moves().all()) {
            TopicPartition partition = copy.log().topicPartition();
            if (copy.logDir().equals(directory) && (wanted == null || wanted.contains(partition))) {
                byTopic.computeIfAbsent(partition.topic(), topic -> new ArrayList<>())
                        .add(new DescribeLogDirsPartition()
                                .setPartitionIndex(partition.partition())
                                .setPartitionSize(copy.sizeInBytes())
                                .setOffsetLag(copy.offsetLag())
                                .setIsFutureKey(true));
            }
        }
        List<DescribeLogDirsTopic> topics = new ArrayList<>();
        byTopic.forEach((topic, partitions) ->
                topics.add(new DescribeLogDirsTopic().setName(topic).setPartitions(partitions)));
        DescribeLogDirsResult result = new DescribeLogDirsResult()
                .setLogDir(directory.toString())
                .setTopics(topics)
                .setIsCordoned(logDirs.isCordoned(directory));
        try {
            return result.setTotalBytes(logDirs.totalBytes(directory)).setUsableBytes(logDirs.usableBytes(directory));
        } catch (IOException e) {
            LOG.warn("Size of the volume unknown directory={}", directory, e);
            return result.setErrorCode(Errors.KAFKA_STORAGE_ERROR.code());
        }
    }

    private static DescribeLogDirsResult offline(Path directory) {
        return new DescribeLogDirsResult()
                .setLogDir(directory.toString())
                .setErrorCode(Errors.KAFKA_STORAGE_ERROR.code())
                .setTopics(List.of());
    }
}
