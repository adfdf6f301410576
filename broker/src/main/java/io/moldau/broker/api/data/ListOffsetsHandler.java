package io.moldau.broker.api.data;

import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.broker.request.RequestTasks;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.log.LogView;
import io.moldau.log.TimestampAndOffset;
import io.moldau.log.storage.StorageException;
import io.moldau.wire.message.ListOffsetsRequestData;
import io.moldau.wire.message.ListOffsetsRequestData.ListOffsetsPartition;
import io.moldau.wire.message.ListOffsetsRequestData.ListOffsetsTopic;
import io.moldau.wire.message.ListOffsetsResponseData;
import io.moldau.wire.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import io.moldau.wire.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;

/// ListOffsets, versions 1 to 11. Timestamps below zero ask for a place instead of a time; which of them a version
/// knows is in [#lowestVersion].
///
/// Answers that need no look into a segment are made on the event loop, the others by a reader thread.
public final class ListOffsetsHandler implements RequestHandler<ListOffsetsRequestData> {

    static final long LATEST = -1L;
    static final long EARLIEST = -2L;

    /// KIP-734: the record with the greatest timestamp.
    static final long MAX_TIMESTAMP = -3L;

    /// KIP-405: the first offset on the broker's own disk.
    static final long EARLIEST_LOCAL = -4L;

    /// KIP-1005: the last offset in remote storage.
    static final long LATEST_TIERED = -5L;

    /// KIP-1023: the first offset that is not in remote storage yet.
    static final long EARLIEST_PENDING_UPLOAD = -6L;

    private static final int CONSUMER = -1;
    private static final byte READ_COMMITTED = 1;
    private static final long UNKNOWN = -1L;
    private static final int UNKNOWN_EPOCH = -1;
    private static final short LEADER_EPOCH_VERSION = 4;
    private static final short OFFSET_NOT_AVAILABLE_VERSION = 5;

    private static final TimestampAndOffset NOT_FOUND = new TimestampAndOffset(UNKNOWN, UNKNOWN, UNKNOWN_EPOCH);

    private final PartitionRegistry partitions;
    private final Executor readers;

    /// @param readers threads that may wait for the disk
    public ListOffsetsHandler(PartitionRegistry partitions, Executor readers) {
        this.partitions = partitions;
        this.readers = readers;
    }

    @Override
    public void handle(RequestContext context, ListOffsetsRequestData request) {
        if (needsDisk(request)) {
            RequestTasks.answer(readers, context, () -> answer(context, request));
        } else {
            context.respond(answer(context, request));
        }
    }

    private static boolean needsDisk(ListOffsetsRequestData request) {
        for (ListOffsetsTopic topic : request.topics()) {
            for (ListOffsetsPartition partition : topic.partitions()) {
                if (partition.timestamp() >= 0 || partition.timestamp() == MAX_TIMESTAMP) {
                    return true;
                }
            }
        }
        return false;
    }

    private ListOffsetsResponseData answer(RequestContext context, ListOffsetsRequestData request) {
        Set<TopicPartition> twice = namedTwice(request);
        var response = new ListOffsetsResponseData();
        for (ListOffsetsTopic topic : request.topics()) {
            var answers = new ArrayList<ListOffsetsPartitionResponse>();
            response.topics()
                    .add(new ListOffsetsTopicResponse().setName(topic.name()).setPartitions(answers));
            for (ListOffsetsPartition it : topic.partitions()) {
                var answer = new ListOffsetsPartitionResponse()
                        .setPartitionIndex(it.partitionIndex())
                        .setTimestamp(UNKNOWN)
                        .setOffset(UNKNOWN)
                        .setLeaderEpoch(UNKNOWN_EPOCH);
                answers.add(answer);
                try {
                    var partition = new TopicPartition(topic.name(), it.partitionIndex());
                    if (twice.contains(partition)) {
                        throw new ApiException(Errors.INVALID_REQUEST, partition + " is named more than once");
                    }
                    TimestampAndOffset found = find(context.apiVersion(), request, it, partition);
                    answer.setTimestamp(found.timestamp()).setOffset(found.offset());
                    if (context.apiVersion() >= LEADER_EPOCH_VERSION) {
                        answer.setLeaderEpoch(found.leaderEpoch());
                    }
                } catch (ApiException e) {
                    answer.setErrorCode(e.error().code());
                } catch (StorageException e) {
                    answer.setErrorCode(Errors.KAFKA_STORAGE_ERROR.code());
                }
            }
        }
        return response;
    }

    private static Set<TopicPartition> namedTwice(ListOffsetsRequestData request) {
        var once = new HashSet<TopicPartition>();
        var twice = new HashSet<TopicPartition>();
        for (ListOffsetsTopic topic : request.topics()) {
            for (ListOffsetsPartition it : topic.partitions()) {
                var partition = new TopicPartition(topic.name(), it.partitionIndex());
                if (!once.add(partition)) {
                    twice.add(partition);
                }
            }
        }
        return twice;
    }

    private TimestampAndOffset find(
            short version, ListOffsetsRequestData request, ListOffsetsPartition asked, TopicPartition name) {
        long timestamp = asked.timestamp();
        if (timestamp < 0 && version < lowestVersion(timestamp)) {
            throw new ApiException(
                    Errors.UNSUPPORTED_VERSION, "timestamp " + timestamp + " means nothing in version " + version);
        }
        Partition partition = partitions.online(name);
        Errors refused = partition.checkLeader(asked.currentLeaderEpoch());
        if (refused != Errors.NONE) {
            throw new ApiException(refused);
        }
        long highWatermark = partition.highWatermark();
        LogView view = partition.log().view();
        long end = request.replicaId() != CONSUMER
                ? view.logEndOffset()
                : request.isolationLevel() == READ_COMMITTED ? view.lastStableOffset(highWatermark) : highWatermark;
        // An election must not take a client back behind what it has been told (KIP-207).
        boolean lags = request.replicaId() == CONSUMER && partition.highWatermarkLags();
        if (timestamp == LATEST) {
            if (lags) {
                throw notAvailable(version, name);
            }
            return new TimestampAndOffset(UNKNOWN, end, partition.leaderEpoch());
        }
        if (timestamp == EARLIEST || timestamp == EARLIEST_LOCAL) {
            long start = view.logStartOffset();
            return new TimestampAndOffset(UNKNOWN, start, partition.log().epochForOffset(start));
        }
        if (timestamp == LATEST_TIERED || timestamp == EARLIEST_PENDING_UPLOAD) {
            return NOT_FOUND; // nothing is in remote storage
        }
        TimestampAndOffset found = timestamp == MAX_TIMESTAMP
                ? partition.log().maxTimestamp()
                : partition.log().offsetForTimestamp(timestamp, end);
        if (found != null && found.offset() < end) {
            return found;
        }
        if (lags) {
            throw notAvailable(version, name);
        }
        return NOT_FOUND;
    }

    private static ApiException notAvailable(short version, TopicPartition partition) {
        return new ApiException(
                version >= OFFSET_NOT_AVAILABLE_VERSION ? Errors.OFFSET_NOT_AVAILABLE : Errors.LEADER_NOT_AVAILABLE,
                "the new leader of " + partition + " does not know yet what is committed");
    }

    /// Since which version a timestamp below zero has a meaning.
    private static int lowestVersion(long timestamp) {
        if (timestamp == LATEST || timestamp == EARLIEST) {
            return 1;
        }
        if (timestamp == MAX_TIMESTAMP) {
            return 7;
        }
        if (timestamp == EARLIEST_LOCAL) {
            return 8;
        }
        if (timestamp == LATEST_TIERED) {
            return 9;
        }
        return timestamp == EARLIEST_PENDING_UPLOAD ? 11 : Integer.MAX_VALUE;
    }
}
