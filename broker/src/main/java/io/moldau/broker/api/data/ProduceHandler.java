package io.moldau.broker.api.data;

import io.moldau.broker.delayed.Deadlines.Deadline;
import io.moldau.broker.replica.AppendTerms;
import io.moldau.broker.replica.Partition;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.replica.WatermarkWait;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.broker.transaction.TransactionVerification;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.TopicPartition;
import io.moldau.log.AppendOutcome;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.message.ProduceRequestData.PartitionProduceData;
import io.moldau.wire.message.ProduceRequestData.TopicProduceData;
import io.moldau.wire.message.ProduceResponseData;
import io.moldau.wire.message.ProduceResponseData.BatchIndexAndErrorMessage;
import io.moldau.wire.message.ProduceResponseData.LeaderIdAndEpoch;
import io.moldau.wire.message.ProduceResponseData.NodeEndpoint;
import io.moldau.wire.message.ProduceResponseData.PartitionProduceResponse;
import io.moldau.wire.message.ProduceResponseData.TopicProduceResponse;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.RecordBytes;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Produce, versions 3 to 13. From version 13 on topics go by id (KIP-516), from 10 on a wrong broker names the
/// right one (KIP-951), from 8 on an answer says which record is to blame (KIP-467).
///
/// The event loop that read the request validates and appends here and now. Only acks=all may leave something to
/// wait for: that is kept with the partition, and the answer is made by whoever raises its high watermark.
public final class ProduceHandler implements RequestHandler<ProduceRequestData> {

    private static final short ACKS_ALL = -1;
    private static final short ACKS_NONE = 0;
    private static final short ACKS_LEADER = 1;

    private static final short LEADER_HINT_VERSION = 10;
    private static final short TOPIC_ID_VERSION = 13;
    private static final short ZSTD_VERSION = 7;

    private static final int COMPRESSION_BITS = 0x07;
    private static final int TRANSACTIONAL_BIT = 0x10;

    /// Topics that only this node's coordinators write to.
    static final Set<String> INTERNAL_TOPICS =
            Set.of("__consumer_offsets", "__transaction_state", "__share_group_state");

    private static final String ADMIN_CLIENT_ID = "__admin_client";

    private final PartitionRegistry partitions;
    private final TransactionVerification verification;

    public ProduceHandler(PartitionRegistry partitions, TransactionVerification verification) {
        this.partitions = partitions;
        this.verification = verification;
    }

    @Override
    public void handle(RequestContext context, ProduceRequestData request) {
        new Exchange(context, request).run();
    }

    /// One request and the answer that grows. Fields of the answer are written by the thread that completes their
    /// partition; the last of them, by the count, sends it.
    private final class Exchange {
        private final RequestContext context;
        private final ProduceRequestData request;
        private final ProduceResponseData response = new ProduceResponseData();

        /// Partitions not decided yet, and one for the loop over them.
        private final AtomicInteger open = new AtomicInteger(1);

        private final List<Waiting> waiting = new ArrayList<>(0);
        private @Nullable Deadline deadline;

        /// Why nothing is waited for any more; guarded by `waiting`.
        private @Nullable String ended;

        /// Owned by the event loop.
        private long transactionalProducer = RecordBatch.NO_PRODUCER_ID;

        /// A partition whose records are in the log and not yet with all in-sync replicas.
        private record Waiting(WatermarkWait ack, PartitionProduceResponse answer) {}

        Exchange(RequestContext context, ProduceRequestData request) {
            this.context = context;
            this.request = request;
        }

        void run() {
            for (TopicProduceData topic : request.topicData()) {
                var answers = new ArrayList<PartitionProduceResponse>(
                        topic.partitionData().size());
                response.responses()
                        .add(new TopicProduceResponse()
                                .setName(topic.name())
                                .setTopicId(topic.topicId())
                                .setPartitionResponses(answers));
                for (PartitionProduceData data : topic.partitionData()) {
                    var answer = new PartitionProduceResponse()
                            .setIndex(data.index())
                            .setBaseOffset(-1L)
                            .setLogAppendTimeMs(-1L)
                            .setLogStartOffset(-1L);
                    answers.add(answer);
                    try {
                        produce(topic, data, answer);
                    } catch (ApiException e) {
                        fail(answer, e.error(), e.getMessage());
                    }
                }
            }
            synchronized (waiting) {
                if (open.get() > 1) {
                    deadline =
                            context.deadlines().after(TimeUnit.MILLISECONDS.toNanos(request.timeoutMs()), this::expire);
                    context.whenDisconnected(this::giveUp);
                }
            }
            decided();
        }

        private void produce(TopicProduceData topic, PartitionProduceData data, PartitionProduceResponse answer) {
            if (request.acks() < ACKS_ALL || request.acks() > ACKS_LEADER) {
                throw new ApiException(
                        Errors.INVALID_REQUIRED_ACKS, "acks is " + request.acks() + ", it can be -1, 0 or 1");
            }
            String name =
                    context.apiVersion() >= TOPIC_ID_VERSION ? partitions.topicName(topic.topicId()) : topic.name();
            Partition partition = partitions.online(new TopicPartition(name, data.index()));
            if (INTERNAL_TOPICS.contains(name) && !ADMIN_CLIENT_ID.equals(context.clientId())) {
                throw new ApiException(
                        Errors.INVALID_TOPIC_EXCEPTION, name + " is written by the broker itself, not by producers");
            }
            BufferRecords records = checked(data.records());
            AppendTerms terms = request.acks() == ACKS_ALL ? AppendTerms.CLIENT_ALL : AppendTerms.CLIENT_LEADER;
            open.incrementAndGet();
            if (isTransactional(records)) {
                produceInTransaction(
                        partition, records, terms.with(verification.produceTerms(context.apiVersion())), answer);
            } else {
                partition.appendAsLeader(records, terms, outcome -> appended(partition, outcome, answer));
            }
        }

        /// The first batch of a transaction in the partition waits for the transaction coordinator.
        private void produceInTransaction(
                Partition partition, BufferRecords records, AppendTerms terms, PartitionProduceResponse answer) {
            partition.appendAsLeader(records, terms, outcome -> {
                if (outcome instanceof AppendOutcome.Unverified) {
                    verification.append(
                            partition,
                            Objects.requireNonNull(request.transactionalId()),
                            context.apiVersion(),
                            records,
                            terms,
                            later -> appended(partition, later, answer));
                } else {
                    appended(partition, outcome, answer);
                }
            });
        }

        private static boolean isTransactional(BufferRecords records) {
            ByteBuffer buffer = records.buffer();
            return (buffer.getShort(buffer.position() + RecordBatch.ATTRIBUTES_OFFSET) & TRANSACTIONAL_BIT) != 0;
        }

        /// What depends on the version of the request rather than on the topic; the log checks the rest.
        private BufferRecords checked(@Nullable RecordBytes bytes) {
            if (!(bytes instanceof BufferRecords records) || records.sizeInBytes() == 0) {
                throw new ApiException(
                        Errors.INVALID_RECORD, "a produce request must have a record batch per partition");
            }
            if (records.sizeInBytes() < RecordBatch.HEADER_SIZE) {
                throw new ApiException(
                        Errors.CORRUPT_MESSAGE, records.sizeInBytes() + " bytes are too few for a record batch");
            }
            ByteBuffer buffer = records.buffer();
            int at = buffer.position();
            byte magic = buffer.get(at + RecordBatch.MAGIC_OFFSET);
            if (magic != RecordBatch.MAGIC_V2) {
                throw new ApiException(
                        Errors.INVALID_RECORD,
                        "record batches must have magic 2 in this version, this one has " + magic);
            }
            long size = RecordBatch.LOG_OVERHEAD + (long) buffer.getInt(at + RecordBatch.LENGTH_OFFSET);
            if (size > 0 && size < records.sizeInBytes()) {
                throw new ApiException(
                        Errors.INVALID_RECORD, "a produce request may have one record batch per partition, not more");
            }
            short attributes = buffer.getShort(at + RecordBatch.ATTRIBUTES_OFFSET);
            if (context.apiVersion() < ZSTD_VERSION && (attributes & COMPRESSION_BITS) == Compression.ZSTD.id()) {
                throw new ApiException(
                        Errors.UNSUPPORTED_COMPRESSION_TYPE,
                        "zstd needs Produce version " + ZSTD_VERSION + " or newer, this is " + context.apiVersion());
            }
            if ((attributes & TRANSACTIONAL_BIT) != 0) {
                checkProducer(buffer.getLong(at + RecordBatch.PRODUCER_ID_OFFSET));
            }
            return records;
        }

        /// One transactional producer speaks in one request.
        private void checkProducer(long producerId) {
            if (request.transactionalId() == null) {
                throw new ApiException(
                        Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                        "transactional records need the transactional id of their producer");
            }
            if (transactionalProducer != RecordBatch.NO_PRODUCER_ID && transactionalProducer != producerId) {
                throw new ApiException(
                        Errors.INVALID_PRODUCER_ID_MAPPING,
                        "transactional records of one request must have one producer id");
            }
            transactionalProducer = producerId;
        }

        private void appended(Partition partition, AppendOutcome outcome, PartitionProduceResponse answer) {
            switch (outcome) {
                case AppendOutcome.Appended it -> {
                    answer.setBaseOffset(it.baseOffset())
                            .setLogAppendTimeMs(it.logAppendTimeMs())
                            .setLogStartOffset(it.logStartOffset());
                    acknowledge(partition, it.lastOffset(), answer);
                }
                case AppendOutcome.Duplicate it -> {
                    answer.setBaseOffset(it.baseOffset())
                            .setLogAppendTimeMs(it.logAppendTimeMs())
                            .setLogStartOffset(it.logStartOffset());
                    acknowledge(partition, it.lastOffset(), answer);
                }
                case AppendOutcome.Unverified it -> {
                    fail(answer, Errors.INVALID_TXN_STATE, "the transaction coordinator was not asked");
                    decided();
                }
                case AppendOutcome.Rejected it -> {
                    for (AppendOutcome.RecordError record : it.recordErrors()) {
                        answer.recordErrors()
                                .add(new BatchIndexAndErrorMessage()
                                        .setBatchIndex(record.batchIndex())
                                        .setBatchIndexErrorMessage(record.message()));
                    }
                    fail(answer, it.error(), it.message());
                    decided();
                }
            }
        }

        private void acknowledge(Partition partition, long lastOffset, PartitionProduceResponse answer) {
            if (request.acks() != ACKS_ALL) {
                decided();
                return;
            }
            if (partition.highWatermark() > lastOffset) {
                committed(partition, answer);
                decided();
                return;
            }
            // Under the lock, so that the wait is in the list before it can be looked for there.
            synchronized (waiting) {
                if (ended != null) {
                    fail(answer, Errors.REQUEST_TIMED_OUT, ended);
                    decided();
                    return;
                }
                WatermarkWait wait = partition.whenHighWatermarkReaches(lastOffset + 1, outcome -> {
                    if (outcome != Errors.NONE) {
                        fail(answer, outcome, "leadership ended before all in-sync replicas had the records");
                    } else {
                        committed(partition, answer);
                    }
                    decided();
                });
                waiting.add(new Waiting(wait, answer));
            }
        }

        /// All in-sync replicas have the records; those may be too few by now.
        private void committed(Partition partition, PartitionProduceResponse answer) {
            if (partition.isLeader() && !partition.hasEnoughInSync()) {
                fail(
                        answer,
                        Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
                        "the records are in the log, but fewer replicas are in sync than min.insync.replicas");
            }
        }

        /// The time the client gave is over: what is not acknowledged is answered so.
        private void expire() {
            endWaits("not all in-sync replicas had the records within " + request.timeoutMs() + " ms");
        }

        private void giveUp() {
            endWaits("the client is gone");
        }

        private void endWaits(String reason) {
            List<Waiting> left;
            synchronized (waiting) {
                ended = reason;
                left = List.copyOf(waiting);
                waiting.clear();
            }
            for (Waiting it : left) {
                if (it.ack().cancel()) {
                    fail(it.answer(), Errors.REQUEST_TIMED_OUT, reason);
                    decided();
                }
            }
        }

        private void fail(PartitionProduceResponse answer, Errors error, @Nullable String message) {
            answer.setErrorCode(error.code()).setErrorMessage(message).setBaseOffset(-1L);
        }

        private void decided() {
            if (open.decrementAndGet() > 0) {
                return;
            }
            if (deadline != null && !context.inExecutor()) {
                context.executor().execute(this::answer);
            } else {
                answer();
            }
        }

        private void answer() {
            if (deadline != null) {
                deadline.cancel();
            }
            if (request.acks() == ACKS_NONE) {
                answerNothing();
                return;
            }
            if (context.apiVersion() >= LEADER_HINT_VERSION) {
                addLeaderHints();
            }
            context.respond(response);
        }

        /// With acks=0 a closed connection is the only way to say that something went wrong: the client then asks
        /// for new metadata.
        private void answerNothing() {
            for (TopicProduceResponse topic : response.responses()) {
                for (PartitionProduceResponse it : topic.partitionResponses()) {
                    if (it.errorCode() != Errors.NONE.code()) {
                        context.disconnect("Produce with acks=0 failed with " + Errors.forCode(it.errorCode()) + ": "
                                + it.errorMessage());
                        return;
                    }
                }
            }
            context.respondNothing();
        }

        private void addLeaderHints() {
            LeaderHints hints = null;
            for (TopicProduceResponse topic : response.responses()) {
                for (PartitionProduceResponse it : topic.partitionResponses()) {
                    if (it.errorCode() != Errors.NOT_LEADER_OR_FOLLOWER.code()) {
                        continue;
                    }
                    PartitionRegistration registration = context.apiVersion() >= TOPIC_ID_VERSION
                            ? partitions.image().topics().partition(topic.topicId(), it.index())
                            : partitions.registration(new TopicPartition(topic.name(), it.index()));
                    if (registration == null) {
                        continue;
                    }
                    it.setCurrentLeader(new LeaderIdAndEpoch()
                            .setLeaderId(registration.leader())
                            .setLeaderEpoch(registration.leaderEpoch()));
                    if (hints == null) {
                        hints = new LeaderHints(partitions.image(), context.listenerName());
                    }
                    hints.add(registration.leader());
                }
            }
            if (hints != null) {
                for (LeaderHints.Node node : hints.nodes()) {
                    response.nodeEndpoints()
                            .add(new NodeEndpoint()
                                    .setNodeId(node.id())
                                    .setHost(node.host())
                                    .setPort(node.port())
                                    .setRack(node.rack()));
                }
            }
        }
    }
}
