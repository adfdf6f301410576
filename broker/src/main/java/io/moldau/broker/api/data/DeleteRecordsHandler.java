package io.moldau.broker.api.data;

import io.moldau.broker.delayed.Deadlines.Deadline;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.WatermarkWait;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.broker.request.RequestTasks;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.wire.message.DeleteRecordsRequestData;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import io.moldau.wire.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import io.moldau.wire.message.DeleteRecordsResponseData;
import io.moldau.wire.message.DeleteRecordsResponseData.DeleteRecordsPartitionResult;
import io.moldau.wire.message.DeleteRecordsResponseData.DeleteRecordsTopicResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// DeleteRecords, versions 0 to 2 (KIP-107): moves the log start, to the high watermark where the offset is -1, and
/// answers when the logs of all replicas whose brokers are up begin there too, or REQUEST_TIMED_OUT.
///
/// The new start survives a power cut before it is answered, so the work is done by a thread that may wait for the
/// disk. The wait for followers costs no thread: it is kept with the partition.
public final class DeleteRecordsHandler implements RequestHandler<DeleteRecordsRequestData> {

    private final PartitionRegistry partitions;
    private final Executor background;

    /// @param background threads that may wait for the disk
    public DeleteRecordsHandler(PartitionRegistry partitions, Executor background) {
        this.partitions = partitions;
        this.background = background;
    }

    @Override
    public void handle(RequestContext context, DeleteRecordsRequestData request) {
        var exchange = new Exchange(context, request);
        RequestTasks.answer(
                background,
                context,
                exchange::delete,
                undecided -> context.executor().execute(() -> exchange.await(undecided)));
    }

    /// Gone from this replica, and not yet from all.
    private record Deleted(Partition partition, long offset, DeleteRecordsPartitionResult answer) {}

    /// One request and the answer that grows. Fields of the answer are written by the thread that decides their
    /// partition; the last of them, by the count, sends it.
    private final class Exchange {
        private final RequestContext context;
        private final DeleteRecordsRequestData request;
        private final DeleteRecordsResponseData response = new DeleteRecordsResponseData();

        /// Partitions not decided yet, and one for the loop over them.
        private final AtomicInteger open = new AtomicInteger(1);

        /// Owned by the event loop.
        private @Nullable Deadline deadline;

        Exchange(RequestContext context, DeleteRecordsRequestData request) {
            this.context = context;
            this.request = request;
        }

        /// On a thread that may wait for the disk.
        List<Deleted> delete() {
            var undecided = new ArrayList<Deleted>();
            for (DeleteRecordsTopic topic : request.topics()) {
                var answers = new ArrayList<DeleteRecordsPartitionResult>();
                response.topics()
                        .add(new DeleteRecordsTopicResult()
                                .setName(topic.name())
                                .setPartitions(answers));
                for (DeleteRecordsPartition it : topic.partitions()) {
                    var answer = new DeleteRecordsPartitionResult()
                            .setPartitionIndex(it.partitionIndex())
                            .setLowWatermark(-1L);
                    answers.add(answer);
                    try {
                        Deleted deleted = delete(topic.name(), it, answer);
                        answer.setLowWatermark(deleted.partition().lowWatermark());
                        if (answer.lowWatermark() < deleted.offset()) {
                            undecided.add(deleted);
                        }
                    } catch (ApiException e) {
                        answer.setErrorCode(e.error().code());
                    }
                }
            }
            return undecided;
        }

        private Deleted delete(String topic, DeleteRecordsPartition it, DeleteRecordsPartitionResult answer) {
            Partition partition = partitions.online(new TopicPartition(topic, it.partitionIndex()));
            if (ProduceHandler.INTERNAL_TOPICS.contains(topic)) {
                throw new ApiException(
                        Errors.INVALID_TOPIC_EXCEPTION, topic + " is internal: its records are not deleted on request");
            }
            if (!partition.settings().log().delete()) {
                throw new ApiException(
                        Errors.POLICY_VIOLATION,
                        "cleanup.policy of " + topic + " is without delete, so its records stay");
            }
            return new Deleted(partition, partition.deleteRecordsBefore(it.offset()), answer);
        }

        /// On the event loop.
        void await(List<Deleted> undecided) {
            var waits = new ArrayList<WatermarkWait>(undecided.size());
            for (Deleted it : undecided) {
                it.answer().setErrorCode(Errors.REQUEST_TIMED_OUT.code());
                open.incrementAndGet();
                waits.add(it.partition().whenLowWatermarkReaches(it.offset(), outcome -> {
                    it.answer()
                            .setErrorCode(outcome.code())
                            .setLowWatermark(
                                    outcome == Errors.NONE ? it.partition().lowWatermark() : -1L);
                    decided();
                }));
            }
            if (!waits.isEmpty()) {
                deadline = context.deadlines()
                        .after(TimeUnit.MILLISECONDS.toNanos(request.timeoutMs()), () -> giveUp(waits));
                context.whenDisconnected(() -> giveUp(waits));
            }
            decided();
        }

        private void giveUp(List<WatermarkWait> waits) {
            for (WatermarkWait wait : waits) {
                if (wait.cancel()) {
                    decided();
                }
            }
        }

        private void decided() {
            if (open.decrementAndGet() == 0) {
                if (context.inExecutor()) {
                    answer();
                } else {
                    context.executor().execute(this::answer);
                }
            }
        }

        private void answer() {
            if (deadline != null) {
                deadline.cancel();
            }
            context.respond(response);
        }
    }
}
