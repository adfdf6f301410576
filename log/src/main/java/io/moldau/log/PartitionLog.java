package io.moldau.log;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.OffsetAndEpoch;
import io.moldau.common.TopicIdPartition;
import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import io.moldau.log.append.AppendOrigin;
import io.moldau.log.append.AppendRules;
import io.moldau.log.append.BatchValidator;
import io.moldau.log.append.Recompression;
import io.moldau.log.append.Rejection;
import io.moldau.log.epoch.LeaderEpochCheckpoint;
import io.moldau.log.epoch.LeaderEpochHistory;
import io.moldau.log.producer.ActiveProducer;
import io.moldau.log.producer.CompletedTransaction;
import io.moldau.log.producer.EndTransactionMarker;
import io.moldau.log.producer.ProducerSnapshot;
import io.moldau.log.producer.ProducerStates;
import io.moldau.log.producer.SequenceCheck;
import io.moldau.log.producer.TransactionTerms;
import io.moldau.log.producer.VerificationGuard;
import io.moldau.log.recovery.ControlBatches;
import io.moldau.log.recovery.LogDigest;
import io.moldau.log.recovery.LogLoader;
import io.moldau.log.recovery.OpeningState;
import io.moldau.log.recovery.PartitionMetadataFile;
import io.moldau.log.recovery.ProducerRecovery;
import io.moldau.log.scrub.Damage;
import io.moldau.log.scrub.ReadGuard;
import io.moldau.log.scrub.SegmentCheck;
import io.moldau.log.segment.BatchHeader;
import io.moldau.log.segment.LogSegment;
import io.moldau.log.segment.RollPolicy;
import io.moldau.log.segment.SegmentFiles;
import io.moldau.log.space.DirectorySpace;
import io.moldau.log.space.SpaceLevel;
import io.moldau.log.storage.CorruptLogException;
import io.moldau.log.storage.DiskException;
import io.moldau.log.storage.LogStorage;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.record.Compression;
import io.moldau.wire.record.DecompressionLimits;
import io.moldau.wire.record.RecordBatch;
import io.moldau.wire.record.RecordBatches;
import io.moldau.wire.record.RecordCursor;
import io.moldau.wire.record.TimestampType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One partition's log: appends, reads, rolls, truncates and deletes, in Kafka's files.
///
/// One lock is held by whatever changes the log; in a node only the partition's mailbox and the upkeep call such
/// methods, so nobody waits for it on the way of a produce request. Reads take no lock: they work on the state
/// that the last change published. Files are opened on first use; until then [#view] answers from what the
/// directory remembers.
///
/// Every method throws [StorageException] if the disk fails; the log's directory is offline from then on.
public final class PartitionLog {

    private static final Logger LOG = LoggerFactory.getLogger(PartitionLog.class);

    private static final LogSegment[] NO_SEGMENTS = new LogSegment[0];

    // How much may be written before producer states and index entries are saved again: the most a start after a
    // crash has to read of a log that was being written.
    private static final int BYTES_BETWEEN_SAVES = 64 << 20;

    /// What a change publishes for readers, always together.
    private record Published(LogView view, LogSegment[] segments, int activeSize, boolean open) {}

    private final TopicPartition topicPartition;
    private final LogEnvironment environment;
    private final LogStorage storage;
    private final ReentrantLock lock = new ReentrantLock();
    private final ReadGuard guard = new ReadGuard();

    private final OpeningState opening;
    // Whether the view can be believed before the files are open.
    private final boolean viewKnown;
    // These three change together, under the lock, when the log moves.
    private volatile Path logDir;
    private volatile LogJournal journal;
    private volatile Path directory;
    private volatile Uuid topicId;
    private volatile LogConfig config;
    private volatile Published published;
    private volatile LeaderEpochHistory epochs = LeaderEpochHistory.EMPTY;
    private volatile long highWatermark;
    private volatile boolean awaitsHighWatermark;
    private volatile int producerCount;
    private volatile int openTransactions;
    private volatile boolean retired;

    // All below: under the lock.
    private AppendRules rules;
    private RollPolicy rollPolicy;
    private ProducerStates producers = new ProducerStates();
    private long firstUnstableOffset = Long.MAX_VALUE;
    private boolean epochsChanged;
    private int pendingEpoch = -1;
    private volatile boolean directoryMade;
    private boolean journaled;
    private boolean gapsNoted;
    private volatile boolean unsavedState;
    private int bytesSinceSave;
    private long newestSnapshot = -1;
    private int truncations;
    private final DoomedSegments doomed;
    private final RetentionScan retentionScan;
    private final LogFlush flush;
    private final BatchValidator validator = new BatchValidator();
    private final RecordBatches batches = new RecordBatches();

    /// @param logDir the log directory; the partition's own directory is made in it by the first append
    /// @param summary what is known of it, null for a partition that has no directory yet
    public PartitionLog(
            TopicIdPartition partition,
            Path logDir,
            LogConfig config,
            LogEnvironment environment,
            LogJournal journal,
            @Nullable LogSummary summary) {
        this.topicPartition = partition.topicPartition();
        this.topicId = partition.topicId();
        this.logDir = logDir;
        this.directory = logDir.resolve(topicPartition.toString());
        this.environment = environment;
        this.storage = environment.storage();
        this.journal = journal;
        this.doomed = new DoomedSegments(storage);
        this.retentionScan = new RetentionScan(storage, topicPartition);
        this.config = config;
        this.rules = rulesOf(config);
        this.rollPolicy = rollPolicyOf(config);
        this.flush = new LogFlush(environment, summary == null ? 0 : summary.recoveryPoint());
        if (summary == null) {
            this.opening = OpeningState.UNKNOWN;
            this.viewKnown = true;
            this.published = new Published(LogView.EMPTY, NO_SEGMENTS, 0, true);
        } else {
            this.opening = summary.opening();
            this.directoryMade = true;
            this.highWatermark = summary.highWatermark();
            var known = summary.view();
            this.viewKnown = known != null;
            // Without a view the log has to be opened before anything is said about it.
            this.published = new Published(
                    known != null ? known : placeholder(summary), NO_SEGMENTS, summary.activeSizeInBytes(), false);
        }
    }

    private static LogView placeholder(LogSummary summary) {
        long start = summary.opening().logStartOffset();
        long recoveryPoint = Math.max(summary.recoveryPoint(), start);
        return new LogView(start, recoveryPoint, recoveryPoint, -1, Long.MAX_VALUE, 0, start);
    }

    private static AppendRules rulesOf(LogConfig config) {
        return new AppendRules(
                config.maxMessageBytes(),
                config.compact(),
                config.timestampType() == TimestampType.LOG_APPEND_TIME,
                config.timestampBeforeMaxMs(),
                config.timestampAfterMaxMs(),
                config.fullValidation(),
                DecompressionLimits.DEFAULT);
    }

    private RollPolicy rollPolicyOf(LogConfig config) {
        // What must be compacted after some time must have left the active segment by then.
        long maxAgeMs =
                config.compact() ? Math.min(config.segmentMs(), config.maxCompactionLagMs()) : config.segmentMs();
        long jitter = Math.min(config.segmentJitterMs(), maxAgeMs);
        long taken = jitter <= 0 ? 0 : environment.random().nextLong(jitter);
        return new RollPolicy(config.segmentBytes(), maxAgeMs - taken, config.segmentIndexBytes());
    }

    // ---- what it is

    public TopicPartition topicPartition() {
        return topicPartition;
    }

    public Uuid topicId() {
        return topicId;
    }

    /// The log directory (not the partition's own) it lives in.
    public Path logDir() {
        return logDir;
    }

    /// The partition's own directory; it exists from the first append on.
    public Path directory() {
        return directory;
    }

    public LogConfig config() {
        return config;
    }

    public void updateConfig(LogConfig newConfig) {
        lock();
        try {
            config = newConfig;
            rules = rulesOf(newConfig);
            rollPolicy = rollPolicyOf(newConfig);
        } finally {
            lock.unlock();
        }
    }

    /// The log's offsets. Opens the files only if a crash left them in doubt.
    public LogView view() {
        var current = published;
        return current.open() || viewKnown ? current.view() : opened().view();
    }

    public long logStartOffset() {
        return view().logStartOffset();
    }

    public long logEndOffset() {
        return view().logEndOffset();
    }

    // ---- locking, opening, publishing

    private void lock() {
        if (!lock.tryLock()) {
            environment.metrics().appendLockContended(topicPartition);
            lock.lock();
        }
    }

    private Published opened() {
        var current = published;
        if (current.open()) {
            return current;
        }
        lock();
        try {
            ensureOpen();
            return published;
        } catch (IOException e) {
            throw unlessFull(e);
        } finally {
            lock.unlock();
        }
    }

    /// A failing disk takes the directory offline; a log that contradicts itself is refused alone.
    RuntimeException failed(IOException e) {
        if (e instanceof CorruptLogException) {
            return new ApiException(Errors.KAFKA_STORAGE_ERROR, String.valueOf(e.getMessage()));
        }
        return journal.failed(this, e);
    }

    /// As [#failed], for a step that leaves the log as it was when the disk is full: that passes.
    private RuntimeException unlessFull(IOException e) {
        return DiskException.isFull(e) ? journal.space().ranOut(e) : failed(e);
    }

    /// How much room there is where the log lives.
    public DirectorySpace space() {
        return journal.space();
    }

    /// Opens the files, if that has not happened. Useful ahead of the first use, to do it on another thread.
    public void open() {
        opened();
    }

    /// Throws if the log's directory is offline.
    public void checkOnline() {
        journal.checkOnline();
    }

    /// Whether anything was ever written.
    public boolean hasFiles() {
        return directoryMade;
    }

    /// Whether the files need a check before the log may be used.
    public boolean isInDoubt() {
        return !published.open() && !viewKnown;
    }

    /// About how much has to be read to check a log that is in doubt, by the sizes of its files.
    public long bytesInDoubt() {
        try {
            return LogLoader.bytesToCheck(storage, directory, opening, published.activeSize());
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private void ensureOpen() throws IOException {
        if (published.open()) {
            return;
        }
        journal.checkOnline();
        long nowMs = environment.time().milliseconds();
        var before = published.view();
        var loaded = new LogLoader(
                        storage,
                        directory,
                        topicId,
                        topicPartition.partition(),
                        opening,
                        config.indexIntervalBytes(),
                        environment.producerIdExpirationMs().getAsInt(),
                        nowMs)
                .load();
        if (loaded.bytesScanned() > 0 || loaded.bytesCut() > 0) {
            environment.metrics().recovered(topicPartition, loaded.bytesScanned(), loaded.bytesCut());
        }
        producers = loaded.producers();
        newestSnapshot = loaded.newestSnapshotOffset();
        epochs = loaded.epochs();
        epochsChanged = loaded.epochsChanged();
        if (pendingEpoch >= 0) {
            assignEpoch(pendingEpoch, loaded.logEndOffset());
            pendingEpoch = -1;
        }
        highWatermark = Math.clamp(highWatermark, loaded.logStartOffset(), loaded.logEndOffset());
        producers.onHighWatermark(highWatermark);
        noteUnstable(loaded.logStartOffset());
        if (viewKnown && loaded.logEndOffset() != before.logEndOffset()) {
            LOG.error(
                    "A log that was clean has another end than remembered partition={} remembered={} found={}",
                    topicPartition,
                    before.logEndOffset(),
                    loaded.logEndOffset());
        }
        if (journal.cleanedUpTo(this) > loaded.logEndOffset()) {
            // Other records will stand there before long.
            journal.beforeTruncation(this, loaded.logEndOffset());
        }
        var segments = loaded.segments().toArray(LogSegment[]::new);
        long recoveryPoint = Math.clamp(before.recoveryPoint(), loaded.logStartOffset(), loaded.logEndOffset());
        if (!viewKnown) {
            unsavedState = true;
            // The journal speaks of a log before the log has a directory.
            directoryMade = storage.exists(directory.resolve(PartitionMetadataFile.FILE_NAME));
        }
        // Names that the process before this one made may not be durable either.
        flush.recoveredUpTo(recoveryPoint);
        flush.namesChanged();
        publish(segments, loaded.logStartOffset(), loaded.logEndOffset(), recoveryPoint);
    }

    private void publish(LogSegment[] segments, long logStartOffset, long logEndOffset, long recoveryPoint) {
        long size = 0;
        for (var segment : segments) {
            size += segment.sizeInBytes();
        }
        publish(segments, logStartOffset, logEndOffset, recoveryPoint, size);
    }

    private void publish(
            LogSegment[] segments, long logStartOffset, long logEndOffset, long recoveryPoint, long sizeInBytes) {
        var active = segments.length == 0 ? null : segments[segments.length - 1];
        var view = new LogView(
                logStartOffset,
                logEndOffset,
                recoveryPoint,
                epochs.latestEpoch(),
                firstUnstableOffset,
                sizeInBytes,
                active == null ? logStartOffset : active.baseOffset());
        published = new Published(view, segments, active == null ? 0 : active.sizeInBytes(), true);
    }

    private void noteUnstable(long logStartOffset) {
        long first = producers.firstUnstableOffset();
        firstUnstableOffset = first == Long.MAX_VALUE ? first : Math.max(first, logStartOffset);
        awaitsHighWatermark = producers.awaitsHighWatermark();
        openTransactions = producers.openTransactions();
        producerCount = producers.size();
    }

    /// To be called before anything is written: the directory exists and its journal knows that the log changes.
    private void beforeChange() throws IOException {
        journal.checkOnline();
        if (retired) {
            throw new ApiException(
                    Errors.UNKNOWN_TOPIC_OR_PARTITION, "Partition " + topicPartition + " has been deleted");
        }
        if (!journaled) {
            journal.beforeFirstChange(this);
            journaled = true;
        }
        if (!directoryMade) {
            journal.space().withRoom(() -> {
                storage.createDirectories(directory);
                PartitionMetadataFile.write(storage, directory, topicId);
                return directory;
            });
            flush.namesChanged();
            directoryMade = true;
        }
        unsavedState = true;
    }

    private LogSegment createSegment(long baseOffset, long nowMs) throws IOException {
        return journal.space().withRoom(() -> LogSegment.create(storage, directory, baseOffset, nowMs));
    }

    private LogSegment activeSegment(long logEndOffset) throws IOException {
        var segments = published.segments();
        if (segments.length > 0) {
            return segments[segments.length - 1];
        }
        var segment = createSegment(logEndOffset, environment.time().milliseconds());
        flush.namesChanged();
        var view = published.view();
        publish(new LogSegment[] {segment}, view.logStartOffset(), logEndOffset, view.recoveryPoint());
        return segment;
    }

    // ---- appending

    /// What one append as the leader is done under.
    private record AppendContext(int leaderEpoch, AppendOrigin origin, TransactionTerms transaction, long nowMs) {}

    /// Appends batches that need no word of a transaction coordinator.
    public AppendOutcome appendAsLeader(ByteBuffer records, int leaderEpoch, AppendOrigin origin, long nowMs) {
        return appendAsLeader(records, leaderEpoch, origin, TransactionTerms.NONE, nowMs);
    }

    /// Appends what a client, or a coordinator of this node, hands to the leader. Base offset and leader epoch
    /// are stamped in the given buffer, whose position and limit stay as they are.
    ///
    /// @param leaderEpoch of this leader
    /// @param nowMs the wall clock, for timestamps
    public AppendOutcome appendAsLeader(
            ByteBuffer records, int leaderEpoch, AppendOrigin origin, TransactionTerms transaction, long nowMs) {
        lock();
        try {
            ensureOpen();
            return append(records, new AppendContext(leaderEpoch, origin, transaction, nowMs));
        } catch (IOException e) {
            throw unlessFull(e);
        } finally {
            lock.unlock();
        }
    }

    private AppendOutcome append(ByteBuffer records, AppendContext context) throws IOException {
        var step = batches.reset(records).tryNext();
        if (step != RecordBatches.Step.BATCH) {
            return refuse(step);
        }
        var batch = batches.batch();
        var rejection = validator.validate(batch, rules, context.origin(), context.nowMs(), topicPartition);
        if (rejection != null) {
            return rejected(rejection);
        }
        int end = batches.nextPosition();
        boolean single = records.limit() - end <= RecordBatch.LOG_OVERHEAD;
        if (single && !mustRecompress(batch)) {
            return appendOne(batch, null, context);
        }
        return appendSeveral(records, context);
    }

    private AppendOutcome refuse(RecordBatches.Step step) {
        return switch (step) {
            case BATCH, END, TORN ->
                reject(Errors.INVALID_RECORD, "No whole record batch was sent to " + topicPartition);
            case OTHER_MAGIC ->
                reject(
                        Errors.INVALID_RECORD,
                        "A batch for " + topicPartition
                                + " has another message format than magic 2, the one since Kafka 0.11");
            case BAD_LENGTH ->
                reject(
                        Errors.CORRUPT_MESSAGE,
                        "A batch for " + topicPartition + " has a length smaller than a batch's header");
        };
    }

    private static AppendOutcome.Rejected reject(Errors error, String message) {
        return new AppendOutcome.Rejected(error, message, List.of());
    }

    private static AppendOutcome.Rejected rejected(Rejection rejection) {
        var errors = rejection.recordErrors().stream()
                .map(e -> new AppendOutcome.RecordError(e.batchIndex(), e.message()))
                .toList();
        return new AppendOutcome.Rejected(rejection.error(), rejection.message(), errors);
    }

    private boolean mustRecompress(RecordBatch batch) {
        var wanted = config.compression();
        return wanted != null && !batch.isControl() && batch.compressionId() != wanted.id();
    }

    private AppendOutcome appendOne(RecordBatch batch, @Nullable ByteBuffer rewritten, AppendContext context)
            throws IOException {
        var marker = batch.hasProducerId() && batch.isControl() ? ControlBatches.marker(batch) : null;
        if (batch.hasProducerId()) {
            var check = producers.check(batch, context.origin().isClient(), marker, context.transaction());
            if (check instanceof SequenceCheck.Duplicate(long first, long last, long timestamp)) {
                long appendTime = rules.logAppendTime() ? timestamp : -1;
                return new AppendOutcome.Duplicate(
                        first, last, appendTime, published.view().logStartOffset());
            }
            if (check instanceof SequenceCheck.Refused(Errors error, String message)) {
                return reject(error, message + " (" + topicPartition + ")");
            }
            if (check instanceof SequenceCheck.Unverified) {
                return new AppendOutcome.Unverified(producers.beginVerification(
                        batch.producerId(),
                        batch.producerEpoch(),
                        batch.baseSequence(),
                        context.transaction(),
                        context.nowMs()));
            }
        }
        int size = batch.sizeInBytes();
        if (size > config.segmentBytes()) {
            return tooLargeForSegment(size);
        }
        long offset = published.view().logEndOffset();
        batch.setBaseOffset(offset);
        batch.setPartitionLeaderEpoch(context.leaderEpoch());
        stampTime(batch, context.nowMs());
        long lastOffset = batch.lastOffset();
        long maxTimestamp = batch.maxTimestamp();
        beforeChange();
        var active = segmentFor(size, maxTimestamp, offset, lastOffset, context.nowMs());
        writeRegion(active, batch.buffer(), batch.position(), size);
        enter(active, batch, active.sizeInBytes(), context.leaderEpoch(), marker);
        finishAppend(active, size, lastOffset + 1);
        return new AppendOutcome.Appended(
                offset,
                lastOffset,
                rules.logAppendTime() ? context.nowMs() : -1,
                published.view().logStartOffset(),
                maxTimestamp,
                rewritten);
    }

    private AppendOutcome.Rejected tooLargeForSegment(int size) {
        return reject(
                Errors.RECORD_LIST_TOO_LARGE,
                "Batches of " + size + " bytes for " + topicPartition + " exceed segment.bytes, which is "
                        + config.segmentBytes());
    }

    private void stampTime(RecordBatch batch, long nowMs) {
        if (rules.logAppendTime()) {
            batch.setMaxTimestampAndType(nowMs, TimestampType.LOG_APPEND_TIME);
        } else {
            batch.setMaxTimestampAndType(batch.maxTimestamp(), TimestampType.CREATE_TIME);
        }
    }

    private static void writeRegion(LogSegment segment, ByteBuffer buffer, int position, int size) throws IOException {
        int savedPosition = buffer.position();
        int savedLimit = buffer.limit();
        buffer.limit(position + size).position(position);
        try {
            segment.write(buffer);
        } finally {
            buffer.limit(savedLimit).position(savedPosition);
        }
    }

    /// The slow way: several batches in one append, or one that gets another codec.
    private AppendOutcome appendSeveral(ByteBuffer records, AppendContext context) throws IOException {
        var parts = new ArrayList<ByteBuffer>();
        boolean rewrite = false;
        batches.reset(records);
        while (true) {
            var step = batches.tryNext();
            if (step == RecordBatches.Step.END || step == RecordBatches.Step.TORN) {
                break;
            }
            if (step != RecordBatches.Step.BATCH) {
                return refuse(step);
            }
            var batch = batches.batch();
            var rejection = parts.isEmpty()
                    ? null
                    : validator.validate(batch, rules, context.origin(), context.nowMs(), topicPartition);
            if (rejection != null) {
                return rejected(rejection);
            }
            var wanted = config.compression();
            if (wanted != null && mustRecompress(batch)) {
                try {
                    var part = Recompression.apply(batch, wanted, config.levelOf(wanted), DecompressionLimits.DEFAULT);
                    rejection = tooLargeAfterwards(part.remaining(), wanted);
                    parts.add(part);
                } catch (MalformedMessageException e) {
                    rejection = new Rejection(
                            Errors.INVALID_RECORD,
                            "A batch for " + topicPartition + " holds records that cannot be read: " + e.getMessage());
                }
                if (rejection != null) {
                    return rejected(rejection);
                }
                rewrite = true;
            } else {
                parts.add(batch.slice());
            }
        }
        if (context.origin().isClient() && parts.size() > 1) {
            return reject(
                    Errors.INVALID_RECORD,
                    "A produce request may hold one batch for each partition, it has " + parts.size() + " for "
                            + topicPartition);
        }
        if (parts.size() == 1) {
            var part = parts.getFirst();
            return appendOne(RecordBatch.at(part), rewrite ? part : null, context);
        }
        return appendAll(parts, rewrite, context);
    }

    private @Nullable Rejection tooLargeAfterwards(int size, Compression codec) {
        return size <= rules.maxMessageBytes()
                ? null
                : new Rejection(
                        Errors.MESSAGE_TOO_LARGE,
                        "A batch for " + topicPartition + " has " + size + " bytes once compressed with "
                                + codec.configName() + ", which exceeds max.message.bytes: "
                                + rules.maxMessageBytes());
    }

    private AppendOutcome appendAll(List<ByteBuffer> parts, boolean rewrite, AppendContext context) throws IOException {
        int size = 0;
        long firstOffset = published.view().logEndOffset();
        long next = firstOffset;
        long maxTimestamp = -1;
        var markers = new ArrayList<@Nullable EndTransactionMarker>();
        for (var part : parts) {
            var batch = RecordBatch.at(part);
            var marker = batch.hasProducerId() && batch.isControl() ? ControlBatches.marker(batch) : null;
            markers.add(marker);
            if (batch.hasProducerId()
                    && producers.check(batch, context.origin().isClient(), marker, context.transaction())
                            instanceof SequenceCheck.Refused(Errors error, String message)) {
                return reject(error, message + " (" + topicPartition + ")");
            }
            size += batch.sizeInBytes();
        }
        if (size > config.segmentBytes()) {
            return tooLargeForSegment(size);
        }
        for (var part : parts) {
            var batch = RecordBatch.at(part);
            batch.setBaseOffset(next);
            batch.setPartitionLeaderEpoch(context.leaderEpoch());
            stampTime(batch, context.nowMs());
            next = batch.nextOffset();
            maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
        }
        beforeChange();
        var active = segmentFor(size, maxTimestamp, firstOffset, next - 1, context.nowMs());
        var whole = ByteBuffer.allocate(size);
        for (var part : parts) {
            whole.put(part.duplicate());
        }
        whole.flip();
        writeRegion(active, whole, 0, size);
        int position = active.sizeInBytes();
        for (int i = 0; i < parts.size(); i++) {
            var batch = RecordBatch.at(parts.get(i));
            enter(active, batch, position, context.leaderEpoch(), markers.get(i));
            position += batch.sizeInBytes();
        }
        finishAppend(active, size, next);
        return new AppendOutcome.Appended(
                firstOffset,
                next - 1,
                rules.logAppendTime() ? context.nowMs() : -1,
                published.view().logStartOffset(),
                maxTimestamp,
                rewrite ? whole : null);
    }

    /// [#appendAsFollower(ByteBuffer, int)] for batches of any leader epoch.
    public int appendAsFollower(ByteBuffer records) {
        return appendAsFollower(records, Integer.MAX_VALUE);
    }

    /// Appends batches fetched from the leader, as they are. What follows the last whole batch is
    /// left out, and so is everything from the first batch of a later leader epoch on: the log was
    /// asked of the leader of this one. Returns how many of the bytes were appended.
    public int appendAsFollower(ByteBuffer records, int leaderEpoch) {
        lock();
        try {
            ensureOpen();
            return appendFollowing(records, leaderEpoch);
        } catch (IOException e) {
            throw unlessFull(e);
        } finally {
            lock.unlock();
        }
    }

    private int appendFollowing(ByteBuffer records, int leaderEpoch) throws IOException {
        journal.checkOnline();
        long nowMs = environment.time().milliseconds();
        long expected = published.view().logEndOffset();
        int start = records.position();
        int end = start;
        long firstOffset = -1;
        long next = expected;
        long maxTimestamp = -1;
        boolean gaps = false;
        batches.reset(records);
        while (true) {
            var step = batches.tryNext();
            if (step == RecordBatches.Step.END || step == RecordBatches.Step.TORN) {
                break;
            }
            var batch = batches.batch();
            if (step != RecordBatches.Step.BATCH || !batch.isCrcValid()) {
                throw new ApiException(
                        Errors.CORRUPT_MESSAGE, "The leader of " + topicPartition + " sent a damaged batch");
            }
            if (batch.partitionLeaderEpoch() > leaderEpoch) {
                break;
            }
            boolean fits = batch.baseOffset() >= next || firstOffset < 0 && holdsLogStart(batch);
            if (!fits || batch.lastOffsetDelta() < 0) {
                throw new ApiException(
                        Errors.OFFSET_OUT_OF_RANGE,
                        "The leader of " + topicPartition + " sent offset " + batch.baseOffset()
                                + ", the next one here is " + next);
            }
            firstOffset = firstOffset < 0 ? batch.baseOffset() : firstOffset;
            gaps |= batch.baseOffset() > next;
            next = batch.nextOffset();
            maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
            end = batches.nextPosition();
        }
        if (end == start) {
            return 0;
        }
        beforeChange();
        if (gaps && !gapsNoted) {
            journal.gapsMayCome(this);
            gapsNoted = true;
        }
        if (firstOffset < expected) {
            beginBeforeLogStart(firstOffset, nowMs);
        }
        var active = segmentFor(end - start, maxTimestamp, firstOffset, next - 1, nowMs);
        writeRegion(active, records, start, end - start);
        int position = active.sizeInBytes();
        batches.reset(records);
        while (batches.nextPosition() < end && batches.tryNext() == RecordBatches.Step.BATCH) {
            var batch = batches.batch();
            var marker = batch.hasProducerId() && batch.isControl() ? ControlBatches.marker(batch) : null;
            enter(active, batch, position, batch.partitionLeaderEpoch(), marker);
            position += batch.sizeInBytes();
        }
        finishAppend(active, end - start, next);
        return end - start;
    }

    /// Where records were deleted, a log may begin within a batch. Its leader sends the batch whole, and a replica that
    /// begins there, with nothing of its own, takes it so.
    private boolean holdsLogStart(RecordBatch batch) {
        var view = published.view();
        return view.logStartOffset() == view.logEndOffset() && batch.lastOffset() >= view.logStartOffset();
    }

    /// A log without records gets a file that can hold offsets below its start. A crash before they are written leaves
    /// an end below the start, with which loading begins again at the start.
    private void beginBeforeLogStart(long baseOffset, long nowMs) throws IOException {
        var view = published.view();
        doomed.renameAll(this::settle);
        for (var segment : published.segments()) {
            doom(segment);
        }
        var segment = createSegment(baseOffset, nowMs);
        storage.syncDirectory(directory);
        flush.namesChanged();
        publish(new LogSegment[] {segment}, view.logStartOffset(), view.logEndOffset(), view.recoveryPoint());
    }

    private LogSegment segmentFor(int size, long maxTimestamp, long firstOffset, long lastOffset, long nowMs)
            throws IOException {
        var active = activeSegment(published.view().logEndOffset());
        if (rollPolicy.mustRoll(active, size, maxTimestamp, lastOffset, nowMs)) {
            // A follower may be given offsets far beyond its end; the new segment must be able to hold them.
            return roll(active.canHold(lastOffset) ? published.view().logEndOffset() : firstOffset, nowMs);
        }
        return active;
    }

    private void enter(
            LogSegment active, RecordBatch batch, int position, int leaderEpoch, @Nullable EndTransactionMarker marker)
            throws IOException {
        active.index(
                batch.lastOffset(), batch.maxTimestamp(), position, batch.sizeInBytes(), config.indexIntervalBytes());
        if (leaderEpoch > epochs.latestEpoch()) {
            assignEpoch(leaderEpoch, batch.baseOffset());
        }
        if (batch.hasProducerId() && (!batch.isControl() || marker != null)) {
            var completed = producers.append(batch, marker);
            if (completed != null && completed.aborted()) {
                addAborted(active, completed);
                // It may be the segment's first, whose file has a name that the disk does not know yet.
                flush.namesChanged();
            }
            if (batch.isTransactional()) {
                noteUnstable(published.view().logStartOffset());
            } else if (producers.size() != producerCount) {
                producerCount = producers.size();
            }
        }
    }

    private void addAborted(LogSegment active, CompletedTransaction aborted) throws IOException {
        long lastStableOffset = producers.lastStableOffsetAfter(aborted);
        try {
            journal.space().withRoom(() -> {
                active.addAborted(aborted, lastStableOffset);
                return active;
            });
        } catch (IOException e) {
            if (DiskException.isFull(e)) {
                undoAppend(active);
            }
            throw e;
        }
    }

    /// The batches that are being appended were written and entered, at least in part, and cannot be completed.
    private void undoAppend(LogSegment active) throws IOException {
        var view = published.view();
        active.rewind(view.logEndOffset(), environment.scratch().get());
        reloadProducers(List.of(published.segments()), view.logStartOffset(), view.logEndOffset());
        noteUnstable(view.logStartOffset());
    }

    private void finishAppend(LogSegment active, int size, long newEnd) throws IOException {
        var current = published;
        var view = current.view();
        active.publish(active.sizeInBytes() + size);
        bytesSinceSave += size;
        publish(current.segments(), view.logStartOffset(), newEnd, view.recoveryPoint(), view.sizeInBytes() + size);
        environment.metrics().appended(size);
        if (newEnd - view.recoveryPoint() >= config.flushMessages()) {
            flushUnderLock();
        }
    }

    private void assignEpoch(int epoch, long startOffset) {
        var changed = epochs.assign(epoch, startOffset);
        if (changed != epochs) {
            epochs = changed;
            epochsChanged = true;
        }
    }

    /// A leader with this epoch begins at the log's end.
    public void beginEpoch(int leaderEpoch) {
        lock();
        try {
            var current = published;
            var view = current.view();
            if (leaderEpoch <= view.latestEpoch()) {
                return;
            }
            if (!current.open() && viewKnown) {
                // No reason to open the files: whoever does so first enters it.
                pendingEpoch = leaderEpoch;
                published = new Published(
                        new LogView(
                                view.logStartOffset(),
                                view.logEndOffset(),
                                view.recoveryPoint(),
                                leaderEpoch,
                                view.firstUnstableOffset(),
                                view.sizeInBytes(),
                                view.activeSegmentBaseOffset()),
                        current.segments(),
                        current.activeSize(),
                        false);
                return;
            }
            ensureOpen();
            var open = published;
            assignEpoch(leaderEpoch, open.view().logEndOffset());
            publish(
                    open.segments(),
                    open.view().logStartOffset(),
                    open.view().logEndOffset(),
                    open.view().recoveryPoint(),
                    open.view().sizeInBytes());
        } catch (IOException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    // ---- rolling

    private LogSegment roll(long baseOffset, long nowMs) throws IOException {
        var current = published;
        var segments = current.segments();
        var view = current.view();
        var old = segments[segments.length - 1];
        if (old.sizeInBytes() == 0) {
            // Nothing to keep: the new segment takes the place of the empty one.
            var kept = Arrays.copyOf(segments, segments.length - 1);
            publish(kept, view.logStartOffset(), view.logEndOffset(), view.recoveryPoint());
            old.deleteFiles();
            segments = kept;
        } else {
            old.becomeInactive();
            takeSnapshot(baseOffset);
        }
        var segment = createSegment(baseOffset, nowMs);
        flush.namesChanged();
        var after = Arrays.copyOf(segments, segments.length + 1);
        after[segments.length] = segment;
        publish(after, view.logStartOffset(), Math.max(view.logEndOffset(), baseOffset), view.recoveryPoint());
        // With another jitter, so that logs that once rolled together part.
        rollPolicy = rollPolicyOf(config);
        environment.metrics().segmentRolled(topicPartition);
        journal.rolled(this);
        return segment;
    }

    /// Begins a new segment now, unless the active one is empty.
    public void roll() {
        lock();
        try {
            ensureOpen();
            var segments = published.segments();
            if (segments.length > 0 && segments[segments.length - 1].sizeInBytes() > 0) {
                beforeChange();
                roll(published.view().logEndOffset(), environment.time().milliseconds());
            }
        } catch (IOException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    private void takeSnapshot(long offset) throws IOException {
        if (offset == newestSnapshot) {
            return;
        }
        var path = SegmentFiles.path(directory, offset, SegmentFiles.PRODUCER_SNAPSHOT);
        storage.replace(
                path,
                ProducerSnapshot.format(
                        producers, new ProducerSnapshot.Owner(topicId, topicPartition.partition(), offset)),
                false);
        flush.written(path);
        var replaced = newestSnapshot;
        newestSnapshot = offset;
        bytesSinceSave = 0;
        // One taken in the middle of a segment is only worth keeping until the next.
        if (replaced >= 0 && !isSegmentBase(replaced)) {
            deleteSnapshot(replaced);
        }
    }

    private void deleteSnapshot(long offset) throws IOException {
        var path = SegmentFiles.path(directory, offset, SegmentFiles.PRODUCER_SNAPSHOT);
        flush.gone(path);
        storage.delete(path);
    }

    private boolean isSegmentBase(long offset) {
        for (var segment : published.segments()) {
            if (segment.baseOffset() == offset) {
                return true;
            }
        }
        return false;
    }

    // ---- reading

    /// Finds the bytes to send for a fetch. Takes no lock.
    ///
    /// @param maxBytes how much is wanted
    /// @param upToOffset exclusive: the high watermark or the last stable offset for a consumer
    /// @param atLeastOneBatch whether the first batch is returned whole even if it is larger than `maxBytes`;
    ///     else nothing is returned then
    public ReadOutcome read(long offset, int maxBytes, long upToOffset, boolean atLeastOneBatch) {
        while (true) {
            var current = opened();
            var view = current.view();
            if (offset < view.logStartOffset() || offset > view.logEndOffset()) {
                return new ReadOutcome.OutOfRange(view.logStartOffset(), view.logEndOffset());
            }
            long bound = Math.min(upToOffset, view.logEndOffset());
            if (offset >= bound) {
                return new ReadOutcome.Slice(LogSlice.empty());
            }
            journal.checkOnline();
            try {
                var slice = slice(current, offset, maxBytes, bound, atLeastOneBatch);
                if (slice != null) {
                    return new ReadOutcome.Slice(slice);
                }
            } catch (IOException e) {
                if (current.segments() == published.segments()) {
                    throw failed(e);
                }
            }
            // The segment went while we were looking: look again at what is there now.
        }
    }

    private @Nullable LogSlice slice(Published current, long offset, int maxBytes, long bound, boolean atLeastOneBatch)
            throws IOException {
        var segments = current.segments();
        var scratch = environment.scratch().get();
        for (int i = Math.max(floor(segments, offset), 0); i < segments.length; i++) {
            var segment = segments[i];
            boolean last = i == segments.length - 1;
            if (segment.baseOffset() >= bound) {
                break;
            }
            if (!segment.tryRetain()) {
                return null;
            }
            boolean handedOut = false;
            try {
                int size = last ? current.activeSize() : segment.sizeInBytes();
                int start = segment.positionOf(offset, size, scratch);
                int end = size;
                if (start < 0 || !isChecked(segment, start, offset, maxBytes, size)) {
                    var admission = admit(current, i, offset, maxBytes);
                    if (admission == null) {
                        continue;
                    }
                    start = admission.start();
                    end = admission.end();
                }
                if (last ? bound < current.view().logEndOffset() : bound < segments[i + 1].baseOffset()) {
                    int boundary = segment.positionOf(bound, size, scratch);
                    end = boundary < 0 ? end : Math.min(end, boundary);
                }
                int available = end - start;
                int length = Math.min(available, Math.max(maxBytes, 0));
                if (length < available) {
                    int first = segment.batchSizeAt(start, end, scratch);
                    if (first > length) {
                        length = atLeastOneBatch ? first : 0;
                    }
                }
                if (length <= 0) {
                    return LogSlice.empty();
                }
                handedOut = true;
                return new LogSlice(segment, start, length);
            } finally {
                if (!handedOut) {
                    segment.release();
                }
            }
        }
        return LogSlice.empty();
    }

    private boolean isChecked(LogSegment segment, int start, long offset, int maxBytes, int size) throws IOException {
        int end = (int) Math.min(size, start + Math.max(maxBytes, 1L));
        var checked = segment.checkedRegions();
        return switch (checked.of(start, end, size, environment.time().nanoseconds(), environment.checkedForNanos())) {
            case WRITTEN -> true;
            // The batch that holds the offset may stand before, where nobody has looked, and not look like it any more.
            case CHECKED -> segment.baseOffsetAt(start, environment.scratch().get()) <= offset;
            case UNKNOWN -> false;
        };
    }

    /// Checks what a reader is to be given; null if the segment has nothing at or behind the offset.
    private ReadGuard.@Nullable Admission admit(Published current, int index, long offset, int maxBytes)
            throws IOException {
        var segment = current.segments()[index];
        var admission = guard.admit(
                segment,
                bounds(current, index),
                offset,
                maxBytes,
                environment.checking().get());
        if (admission != null && (!admission.found().isEmpty() || admission.start() < 0)) {
            // Not while the log could be cut: what looks like damage may be what came after the cut.
            admission = confirm(segment, offset, maxBytes);
        }
        if (admission != null && admission.start() < 0) {
            throw ReadGuard.refusal(Objects.requireNonNull(admission.stoppedAt()));
        }
        return admission;
    }

    private SegmentCheck.Bounds bounds(Published current, int index) {
        var segments = current.segments();
        return index == segments.length - 1
                ? new SegmentCheck.Bounds(current.activeSize(), current.view().logEndOffset(), epochs)
                : new SegmentCheck.Bounds(segments[index].sizeInBytes(), segments[index + 1].baseOffset(), epochs);
    }

    private ReadGuard.@Nullable Admission confirm(LogSegment segment, long offset, int maxBytes) throws IOException {
        lock();
        try {
            var current = published;
            int index = indexOf(current.segments(), segment);
            if (index < 0) {
                throw new ClosedChannelException();
            }
            var admission = guard.admit(
                    segment,
                    bounds(current, index),
                    offset,
                    maxBytes,
                    environment.checking().get());
            if (admission != null) {
                noteDamage(admission.found());
            }
            return admission;
        } finally {
            lock.unlock();
        }
    }

    private void noteDamage(List<Damage> found) {
        for (var damage : guard.found(found)) {
            LOG.error(
                    "A file is damaged, and readers are not given what may be wrong partition={} offsets={}-{} file={}",
                    topicPartition,
                    damage.fromOffset(),
                    damage.toOffset(),
                    damage.what());
            environment.metrics().damaged(topicPartition, damage);
        }
    }

    /// Takes note of what a check of a segment found, unless the log was cut or the segment replaced since.
    public void damaged(CleaningView seen, LogSegment segment, List<Damage> found) {
        lock();
        try {
            if (isUnchanged(seen) && indexOf(published.segments(), segment) >= 0) {
                noteDamage(found);
            }
        } finally {
            lock.unlock();
        }
    }

    /// Whether nobody was found who has damaged records sound.
    public void hopeless(Damage damage, boolean isHopeless) {
        lock();
        try {
            guard.hopeless(damage, isHopeless);
        } finally {
            lock.unlock();
        }
    }

    /// What is known to be damaged in the log's files, and not mended yet.
    public List<Damage> damages() {
        return guard.damages();
    }

    /// The index of the last segment that begins at or before `offset`, -1 if there is none.
    private static int floor(LogSegment[] segments, long offset) {
        int low = 0;
        int high = segments.length - 1;
        if (high >= 0 && segments[high].baseOffset() <= offset) {
            return high;
        }
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (segments[middle].baseOffset() <= offset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /// The first record whose time is at or behind `timestamp`, exact also inside a compressed batch; null if
    /// there is none below `upToOffset`.
    public @Nullable TimestampAndOffset offsetForTimestamp(long timestamp, long upToOffset) {
        var current = opened();
        try {
            var segments = current.segments();
            for (int i = 0; i < segments.length; i++) {
                var segment = segments[i];
                if (segment.peekMaxTimestamp() < timestamp || !segment.tryRetain()) {
                    continue;
                }
                try {
                    int size = i == segments.length - 1 ? current.activeSize() : segment.sizeInBytes();
                    var found = findTimestamp(
                            segment, size, timestamp, current.view().logStartOffset());
                    if (found != null) {
                        return found.offset() < upToOffset ? found : null;
                    }
                } finally {
                    segment.release();
                }
            }
            return null;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private @Nullable TimestampAndOffset findTimestamp(
            LogSegment segment, int size, long timestamp, long logStartOffset) throws IOException {
        var scratch = environment.scratch().get();
        long from = Math.max(segment.offsetBelowTimestamp(timestamp), logStartOffset);
        int position = segment.positionOf(from, size, scratch);
        if (position < 0) {
            return null;
        }
        var header = new BatchHeader(segment.file(), scratch);
        while (header.moveTo(position, size)) {
            if (header.maxTimestamp() >= timestamp) {
                var found = findInBatch(segment, position, header.sizeInBytes(), timestamp, logStartOffset);
                if (found != null) {
                    return found;
                }
            }
            position = header.nextPosition();
        }
        header.requireEnd(position, size);
        return null;
    }

    private static @Nullable TimestampAndOffset findInBatch(
            LogSegment segment, int position, int size, long timestamp, long fromOffset) throws IOException {
        var buffer = ByteBuffer.allocate(size);
        segment.file().read(buffer, position);
        try (var cursor = new RecordCursor()) {
            var batch = RecordBatch.at(buffer.flip());
            cursor.open(batch, DecompressionLimits.DEFAULT);
            while (cursor.next()) {
                if (cursor.timestamp() >= timestamp && cursor.offset() >= fromOffset) {
                    return new TimestampAndOffset(cursor.timestamp(), cursor.offset(), batch.partitionLeaderEpoch());
                }
            }
            return null;
        } catch (MalformedMessageException e) {
            throw new CorruptLogException(
                    "The batch at byte " + position + " of '" + segment.path() + "' is damaged: " + e.getMessage());
        }
    }

    /// The timestamp of the first record at or behind `offset`, -1 if there is none below `upToOffset`. Reads the disk.
    public long timestampAt(long offset, long upToOffset) {
        var current = opened();
        long from = Math.max(offset, current.view().logStartOffset());
        if (from >= upToOffset) {
            return RecordBatch.NO_TIMESTAMP;
        }
        try (var cursor = new RecordCursor()) {
            var segments = current.segments();
            var scratch = environment.scratch().get();
            for (int i = Math.max(0, floor(segments, from)); i < segments.length; i++) {
                var segment = segments[i];
                if (!segment.tryRetain()) {
                    continue;
                }
                try {
                    int size = i == segments.length - 1 ? current.activeSize() : segment.sizeInBytes();
                    int position = segment.positionOf(from, size, scratch);
                    while (position >= 0 && position < size) {
                        int bytes = segment.batchSizeAt(position, size, scratch);
                        if (bytes <= 0) {
                            break;
                        }
                        var buffer = ByteBuffer.allocate(bytes);
                        segment.file().read(buffer, position);
                        cursor.open(RecordBatch.at(buffer.flip()), DecompressionLimits.DEFAULT);
                        while (cursor.next()) {
                            if (cursor.offset() >= from) {
                                return cursor.offset() < upToOffset ? cursor.timestamp() : RecordBatch.NO_TIMESTAMP;
                            }
                        }
                        position += bytes;
                    }
                } finally {
                    segment.release();
                }
            }
            return RecordBatch.NO_TIMESTAMP;
        } catch (MalformedMessageException e) {
            throw failed(new CorruptLogException("A batch of " + topicPartition + " is damaged: " + e.getMessage()));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /// Of how many files of records the log consists.
    public int segmentCount() {
        return published.segments().length;
    }

    /// The first record with the greatest timestamp in the log, null if no record has one.
    public @Nullable TimestampAndOffset maxTimestamp() {
        var current = opened();
        try {
            LogSegment newest = null;
            for (var segment : current.segments()) {
                if (segment.peekMaxTimestamp() > (newest == null ? -1 : newest.peekMaxTimestamp())) {
                    newest = segment;
                }
            }
            if (newest == null || !newest.tryRetain()) {
                return null;
            }
            try {
                var segments = current.segments();
                int size = newest == segments[segments.length - 1] ? current.activeSize() : newest.sizeInBytes();
                return findTimestamp(
                        newest, size, newest.maxTimestamp(), current.view().logStartOffset());
            } finally {
                newest.release();
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    // ---- epochs, transactions, producers

    /// Where an epoch ends, as OffsetForLeaderEpoch asks; [LeaderEpochHistory#UNDEFINED] if the log cannot know.
    public OffsetAndEpoch endOffsetForEpoch(int epoch) {
        var current = opened();
        return epochs.endOffsetFor(epoch, current.view().logEndOffset());
    }

    /// The leader epoch an offset was written in, -1 if that is not known.
    public int epochForOffset(long offset) {
        opened();
        return epochs.epochForOffset(offset);
    }

    public LeaderEpochHistory leaderEpochs() {
        opened();
        return epochs;
    }

    /// The aborted transactions with records from `fromOffset` to `upToOffset`, exclusive.
    public List<AbortedTransaction> abortedTransactions(long fromOffset, long upToOffset) {
        var current = opened();
        var segments = current.segments();
        var found = new ArrayList<AbortedTransaction>();
        try {
            for (int i = Math.max(floor(segments, fromOffset), 0); i < segments.length; i++) {
                for (var entry : segments[i].transactionIndex().entries()) {
                    if (entry.lastOffset() >= fromOffset && entry.firstOffset() < upToOffset) {
                        found.add(new AbortedTransaction(entry.producerId(), entry.firstOffset()));
                    }
                    if (entry.lastStableOffset() >= upToOffset) {
                        // Whatever ended later began behind the bound.
                        return found;
                    }
                }
            }
            return found;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /// Says that the transaction coordinator is going to be asked about a transaction of the producer; null if that is
    /// not needed, because the transaction is open here.
    ///
    /// @param sequence the first one of the batch that is to come, -1 if it has none
    /// @throws ApiException if the log has seen a later epoch of the producer
    public @Nullable VerificationGuard beginVerification(
            long producerId, short epoch, int sequence, TransactionTerms transaction, long nowMs) {
        lock();
        try {
            ensureOpen();
            if (epoch < producers.epochOf(producerId)) {
                throw new ApiException(
                        Errors.INVALID_PRODUCER_EPOCH,
                        "Epoch " + epoch + " of producer " + producerId + " is over in " + topicPartition);
            }
            return producers.hasOpenTransaction(producerId, epoch)
                    ? null
                    : producers.beginVerification(producerId, epoch, sequence, transaction, nowMs);
        } catch (IOException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    /// How many producers the log remembers, 0 before its files are open.
    public int producerCount() {
        return producerCount;
    }

    /// How many transactions are open in it.
    public int openTransactions() {
        return openTransactions;
    }

    public List<ActiveProducer> activeProducers() {
        opened();
        lock();
        try {
            return producers.activeProducers();
        } finally {
            lock.unlock();
        }
    }

    // ---- high watermark

    public long highWatermark() {
        view();
        return highWatermark;
    }

    /// Takes note of the high watermark: for the checkpoint file, and because nothing at or behind it may be
    /// deleted.
    public void setHighWatermark(long offset) {
        if (offset == highWatermark) {
            return;
        }
        highWatermark = offset;
        unsavedState = true;
        if (awaitsHighWatermark) {
            lock();
            try {
                producers.onHighWatermark(offset);
                var current = published;
                var view = current.view();
                noteUnstable(view.logStartOffset());
                publish(
                        current.segments(),
                        view.logStartOffset(),
                        view.logEndOffset(),
                        view.recoveryPoint(),
                        view.sizeInBytes());
            } finally {
                lock.unlock();
            }
        }
    }

    /// What a consumer that wants only committed records may read up to, exclusive.
    public long lastStableOffset() {
        return view().lastStableOffset(highWatermark);
    }

    // ---- truncating

    /// Cuts the log so that it ends at `offset`, or before the batch that holds it, or where the last batch before it
    /// ends. Leader epochs that begin there or behind are forgotten, also where the log itself is short enough.
    public void truncateTo(long offset) {
        lock();
        try {
            ensureOpen();
            var view = published.view();
            if (offset >= view.logEndOffset()) {
                // An epoch that began at the end and never got a record says something the leader's log denies.
                forgetEpochsFrom(offset);
                return;
            }
            long end = offset < view.logStartOffset() ? offset : batchBaseAt(offset);
            if (end > view.logStartOffset()) {
                end = Math.max(view.logStartOffset(), endBelow(end));
            }
            beforeCut(end);
            if (end <= view.logStartOffset()) {
                startAgain(end);
            } else {
                cut(end);
            }
        } catch (IOException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    private void forgetEpochsFrom(long offset) {
        var shorter = epochs.truncateFromEnd(offset);
        if (shorter != epochs) {
            epochs = shorter;
            epochsChanged = true;
            var current = published;
            var view = current.view();
            publish(
                    current.segments(),
                    view.logStartOffset(),
                    view.logEndOffset(),
                    view.recoveryPoint(),
                    view.sizeInBytes());
        }
    }

    /// Where the batch begins that holds the offset: a batch is kept or cut as a whole.
    private long batchBaseAt(long offset) throws IOException {
        var segments = published.segments();
        var scratch = environment.scratch().get();
        for (int i = Math.max(floor(segments, offset), 0); i < segments.length; i++) {
            int size = segments[i].sizeInBytes();
            int position = segments[i].positionOf(offset, size, scratch);
            var header = new BatchHeader(segments[i].file(), scratch);
            if (position >= 0 && header.moveTo(position, size)) {
                return Math.min(offset, header.baseOffset());
            }
        }
        return offset;
    }

    /// Where the last batch below `end` ends. Compaction may have left a hole there, and a log must not end in one: the
    /// next start could not tell it from a loss.
    private long endBelow(long end) throws IOException {
        var segments = published.segments();
        int i = floor(segments, end - 1);
        if (i < 0) {
            return end;
        }
        int size = segments[i].sizeInBytes();
        var scratch = environment.scratch().get();
        int position = segments[i].positionOf(end - 1, size, scratch);
        var header = new BatchHeader(segments[i].file(), scratch);
        if (position >= 0 && header.moveTo(position, size) && header.baseOffset() < end) {
            return end;
        }
        long below = segments[i].baseOffset();
        for (int at = 0; header.moveTo(at, size) && header.lastOffset() < end; at = header.nextPosition()) {
            below = header.lastOffset() + 1;
        }
        return below;
    }

    private void beforeCut(long end) throws IOException {
        try {
            beforeChange();
            journal.beforeTruncation(this, end);
        } catch (IOException e) {
            throw unlessFull(e);
        }
    }

    private void cut(long end) throws IOException {
        var view = published.view();
        var kept = new ArrayList<>(List.of(published.segments()));
        var dropped = new ArrayList<LogSegment>();
        while (kept.size() > 1 && kept.getLast().baseOffset() >= end) {
            dropped.add(kept.removeLast());
        }
        kept.getLast().truncateTo(end, environment.scratch().get());
        truncations++;
        flush.cut(end);
        for (var segment : dropped) {
            doom(segment);
        }
        if (!dropped.isEmpty()) {
            storage.syncDirectory(directory);
        }
        epochs = epochs.truncateFromEnd(end);
        epochsChanged = true;
        reloadProducers(kept, view.logStartOffset(), end);
        highWatermark = Math.min(highWatermark, end);
        guard.gone(dropped);
        guard.cut(end);
        noteUnstable(view.logStartOffset());
        publish(kept.toArray(LogSegment[]::new), view.logStartOffset(), end, Math.min(view.recoveryPoint(), end));
    }

    private void reloadProducers(List<LogSegment> kept, long logStartOffset, long end) throws IOException {
        var offsets = snapshotOffsets();
        producers = new ProducerRecovery(storage, directory, topicId, topicPartition.partition(), kept, offsets)
                .restore(
                        logStartOffset,
                        end,
                        Long.MAX_VALUE,
                        environment.time().milliseconds(),
                        environment.producerIdExpirationMs().getAsInt());
        newestSnapshot = offsets.isEmpty() ? -1 : offsets.last();
        producers.onHighWatermark(highWatermark);
    }

    private TreeSet<Long> snapshotOffsets() throws IOException {
        var offsets = new TreeSet<Long>();
        for (var name : storage.list(directory)) {
            long offset = SegmentFiles.offsetOf(name, SegmentFiles.PRODUCER_SNAPSHOT);
            if (offset >= 0) {
                offsets.add(offset);
            }
        }
        return offsets;
    }

    /// Throws everything away; the log is empty and begins at `offset`.
    public void truncateFullyAndStartAt(long offset) {
        lock();
        try {
            ensureOpen();
            beforeCut(offset);
            startAgain(offset);
        } catch (IOException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    private void startAgain(long offset) throws IOException {
        // First the word: a crash in between leaves the old segments or the new one, and both fit it.
        try {
            journal.logStartAdvanced(this, offset);
        } catch (IOException e) {
            throw unlessFull(e);
        }
        // The new segment may get the name of one that retention has let go of.
        doomed.renameAll(this::settle);
        var old = published.segments();
        truncations++;
        flush.cut(offset);
        flush.beginAt(offset);
        for (var segment : old) {
            doom(segment);
        }
        for (long snapshot : snapshotOffsets()) {
            deleteSnapshot(snapshot);
        }
        newestSnapshot = -1;
        guard.gone(List.of(old));
        producers = new ProducerStates();
        epochs = LeaderEpochHistory.EMPTY;
        epochsChanged = true;
        highWatermark = offset;
        noteUnstable(offset);
        var segment = createSegment(offset, environment.time().milliseconds());
        storage.syncDirectory(directory);
        flush.namesChanged();
        publish(new LogSegment[] {segment}, offset, offset, offset);
    }

    /// Makes everything below `offset` unreadable, as DeleteRecords asks. Durable on return: the records never
    /// come back, whatever happens next. Segments that hold nothing else go with the next retention.
    ///
    /// @throws ApiException `OFFSET_OUT_OF_RANGE` behind the high watermark
    public void advanceLogStartOffset(long offset) {
        lock();
        try {
            ensureOpen();
            var view = published.view();
            if (offset > highWatermark) {
                throw new ApiException(
                        Errors.OFFSET_OUT_OF_RANGE,
                        "Records of " + topicPartition + " can be deleted up to the high watermark, " + highWatermark
                                + ", not up to " + offset);
            }
            if (offset <= view.logStartOffset()) {
                return;
            }
            beforeChange();
            journal.logStartAdvanced(this, offset);
            flush.beginAt(offset);
            epochs = epochs.truncateFromStart(offset);
            epochsChanged = true;
            noteUnstable(offset);
            guard.started(offset);
            publish(
                    published.segments(),
                    offset,
                    view.logEndOffset(),
                    Math.max(view.recoveryPoint(), offset),
                    view.sizeInBytes());
        } catch (IOException e) {
            throw unlessFull(e);
        } finally {
            lock.unlock();
        }
    }

    // ---- retention

    /// Lets go of the segments that are too old, too many or below the log start. Nobody reads them
    /// from now on; their files go with [#deleteDoomedFiles]. One caller at a time. Looks at the files
    /// without the append lock, and holds it for no file but that of a new active segment.
    ///
    /// @return how many
    public int deleteOldSegments(long nowMs) {
        if (retired || !directoryMade || isInDoubt()) {
            return 0;
        }
        var seen = published;
        try {
            if (!seen.open() && !retentionScan.mayHaveOld(directory, seen.view(), config, nowMs)) {
                return 0;
            }
            seen = opened();
            int count = retentionScan.deletable(seen.segments(), seen.view(), config, highWatermark, nowMs);
            if (count == seen.segments().length - 1 && isAllDeleted(seen)) {
                count++;
            }
            return count == 0 ? 0 : letGo(seen, count, nowMs);
        } catch (IOException e) {
            if (retired || seen.segments() != published.segments()) {
                // Its files went while they were looked at. The next round sees what is there then.
                return 0;
            }
            throw unlessFull(e);
        }
    }

    /// Whether the newest segment is worth nothing either, and space is short.
    private boolean isAllDeleted(Published seen) {
        var view = seen.view();
        return space().level() != SpaceLevel.AMPLE
                && view.logStartOffset() == view.logEndOffset()
                && seen.activeSize() > 0;
    }

    /// Whether records from the future keep old segments, as the last [#deleteOldSegments] found.
    public boolean isRetentionHeldByFuture() {
        return retentionScan.isHeldByFuture();
    }

    private int letGo(Published seen, int wanted, long nowMs) throws IOException {
        lock();
        try {
            var segments = published.segments();
            int count = wanted;
            if (retired || segments.length < count || !Arrays.equals(segments, 0, count, seen.segments(), 0, count)) {
                return 0;
            }
            var view = published.view();
            if (count == segments.length && view.logEndOffset() != seen.view().logEndOffset()) {
                count--;
            }
            if (count == 0) {
                return 0;
            }
            beforeChange();
            if (count == segments.length) {
                roll(view.logEndOffset(), nowMs);
                // The log must not look as if it had been lost, so what is left of it comes first.
                storage.syncDirectory(directory);
                segments = published.segments();
            }
            long start = Math.max(view.logStartOffset(), segments[count].baseOffset());
            long word = journal.logStartMoved(this, start);
            flush.beginAt(start);
            epochs = epochs.truncateFromStart(start);
            epochsChanged = true;
            noteUnstable(start);
            publish(
                    Arrays.copyOfRange(segments, count, segments.length),
                    start,
                    view.logEndOffset(),
                    Math.max(view.recoveryPoint(), start));
            guard.gone(List.of(segments).subList(0, count));
            for (int i = 0; i < count; i++) {
                environment.metrics().segmentDeleted(topicPartition, segments[i].sizeInBytes());
                var snapshot = snapshotToDoom(segments[i], segments[i].baseOffset() != newestSnapshot);
                doomed.addUnnamed(segments[i], snapshot, nowMs + config.fileDeleteDelayMs(), word);
            }
            return count;
        } finally {
            lock.unlock();
        }
    }

    /// Renames the files of a segment now and deletes them later.
    private void doom(LogSegment segment) throws IOException {
        segment.markDeleted();
        doomRenamed(segment, segment.baseOffset() != newestSnapshot);
    }

    private void doomRenamed(LogSegment segment, boolean withSnapshot) throws IOException {
        flush.namesChanged();
        doomed.add(
                segment,
                snapshotToDoom(segment, withSnapshot),
                environment.time().milliseconds() + config.fileDeleteDelayMs());
    }

    private @Nullable Path snapshotToDoom(LogSegment segment, boolean withSnapshot) {
        if (!withSnapshot) {
            return null;
        }
        var snapshot = SegmentFiles.path(directory, segment.baseOffset(), SegmentFiles.PRODUCER_SNAPSHOT);
        flush.gone(snapshot);
        return snapshot;
    }

    // ---- compaction

    /// Up to where the log has been compacted, -1 if it never was.
    public long cleanedUpTo() {
        return journal.cleanedUpTo(this);
    }

    /// The log as a compaction finds it. Opens the files; null if there are none. To be closed.
    public @Nullable CleaningView viewForCleaning() {
        var view = retained(true);
        if (view != null && view.segments().isEmpty()) {
            view.close();
            return null;
        }
        return view;
    }

    /// @return null if the log is gone
    private @Nullable CleaningView retained(boolean withProducers) {
        while (true) {
            var current = opened();
            lock();
            try {
                if (retired) {
                    return null;
                }
                if (current != published) {
                    continue;
                }
                for (var segment : current.segments()) {
                    segment.retain();
                }
                return new CleaningView(
                        List.of(current.segments()),
                        current.view(),
                        current.activeSize(),
                        current.view().lastStableOffset(highWatermark),
                        cleanedUpTo(),
                        truncations,
                        withProducers ? producers.lastBatches() : Map.of());
            } finally {
                lock.unlock();
            }
        }
    }

    /// A segment for compaction to write to. It is no part of the log until [#replace].
    public LogSegment createCleaned(long baseOffset) throws IOException {
        return LogSegment.createCleaned(
                storage, directory, baseOffset, environment.time().milliseconds());
    }

    /// Puts a compacted segment, complete and forced, in the place of those it was made from. After a crash at any
    /// point the log has either them or it.
    ///
    /// @return false if the log has been cut, shortened or deleted since, so that the result is worthless
    public boolean replace(CleaningView seen, List<LogSegment> old, LogSegment cleaned) {
        try {
            lock();
            try {
                if (!isUnchanged(seen)) {
                    return false;
                }
                var segments = published.segments();
                int first = indexOf(segments, old.getFirst());
                if (first < 0 || first + old.size() >= segments.length) {
                    return false;
                }
                beforeChange();
                journal.gapsMayCome(this);
                for (var segment : old) {
                    segment.holdIndexes();
                }
                cleaned.renameTo(SegmentFiles.SWAP);
                for (var segment : old) {
                    segment.renameTo(SegmentFiles.DELETED);
                    boolean own = segment.baseOffset() != cleaned.baseOffset();
                    doomRenamed(segment, own && segment.baseOffset() != newestSnapshot);
                }
                cleaned.renameTo("");
                var after = new ArrayList<>(List.of(segments));
                after.subList(first, first + old.size()).clear();
                after.add(first, cleaned);
                var view = published.view();
                guard.gone(old);
                publish(
                        after.toArray(LogSegment[]::new),
                        view.logStartOffset(),
                        view.logEndOffset(),
                        view.recoveryPoint());
            } finally {
                lock.unlock();
            }
            // Before other files get names that sort before these: the next start must not take this for unfinished.
            storage.syncDirectory(directory);
            return true;
        } catch (IOException e) {
            if (retired) {
                LOG.debug("A log was deleted while it was compacted partition={}", topicPartition);
                return false;
            }
            throw failed(e);
        }
    }

    private static int indexOf(LogSegment[] segments, LogSegment wanted) {
        return Arrays.asList(segments).indexOf(wanted);
    }

    private boolean isUnchanged(CleaningView seen) {
        return !retired && seen.truncations() == truncations;
    }

    /// Whether what a compaction is making of the log is worthless.
    public boolean hasChangedSince(CleaningView seen) {
        lock();
        try {
            return !isUnchanged(seen);
        } finally {
            lock.unlock();
        }
    }

    /// Takes note of a finished compaction, unless the log has been cut or deleted since.
    public void cleaned(CleaningView seen, long upTo) {
        lock();
        try {
            if (!isUnchanged(seen)) {
                return;
            }
            journal.cleaned(this, upTo);
        } finally {
            lock.unlock();
        }
        try {
            journal.saveCleanedUpTo();
        } catch (IOException e) {
            throw unlessFull(e);
        }
    }

    // ---- moving to another log directory

    /// The journal of the directory the log is in now: what is said of segments is said there.
    private void settle(long word) throws IOException {
        journal.settle(word);
    }

    /// What a log leaves behind when it moves.
    ///
    /// @param segments who still reads them may go on; to be released
    public record Vacated(Path directory, LogJournal journal, List<LogSegment> segments) {}

    /// The log's files as [FutureLog] copies them. Null if the log is gone. To be closed.
    @Nullable
    CleaningView viewForMoving() {
        return retained(false);
    }

    /// Goes on with the copy's files, in its directory. Records, offsets and everything else stay
    /// what they are; for compactions and flushes that are under way it is as if the log had been
    /// cut.
    ///
    /// @return null if the copy is not ready
    @Nullable
    Vacated moveTo(FutureLog copy) {
        opened();
        lock();
        try {
            if (retired) {
                return null;
            }
            var current = published;
            var view = current.view();
            var arrived = copy.complete(
                    List.of(current.segments()),
                    summary(current),
                    epochs,
                    new FutureLog.Demands(flush.flushedUpTo(), newestSnapshot, truncations));
            if (arrived == null) {
                return null;
            }
            var vacated = new Vacated(directory, journal, List.of(current.segments()));
            doomed.close();
            logDir = copy.logDir();
            journal = copy.journal();
            directory = logDir.resolve(topicPartition.toString());
            directoryMade = true;
            journaled = true;
            unsavedState = true;
            flush.moved();
            epochsChanged = false;
            newestSnapshot = arrived.newestSnapshot();
            truncations++;
            publish(
                    arrived.segments().toArray(LogSegment[]::new),
                    view.logStartOffset(),
                    view.logEndOffset(),
                    view.recoveryPoint());
            return vacated;
        } catch (IOException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    // ---- upkeep

    /// Whether [#deleteDoomedFiles] has something to do.
    public boolean hasDoomedFiles(long nowMs) {
        return doomed.hasWork(nowMs);
    }

    /// Whether files are there that should have been deleted before that time.
    public boolean hasOverdueFiles(long sinceMs) {
        return doomed.isOverdue(sinceMs);
    }

    /// How many bytes the log has let go of whose files are still there.
    public long doomedBytes() {
        return doomed.bytes();
    }

    /// [#deleteDoomedFiles(long, BooleanSupplier)] as long as it takes.
    public void deleteDoomedFiles(long nowMs) {
        deleteDoomedFiles(nowMs, () -> true);
    }

    /// Renames the files of segments the log has let go of, and deletes those whose delay is over. Takes no lock of the
    /// log's: appends go on meanwhile.
    ///
    /// @param mayGoOn asked before each segment
    public void deleteDoomedFiles(long nowMs, BooleanSupplier mayGoOn) {
        try {
            doomed.work(nowMs, mayGoOn, this::settle);
        } catch (IOException e) {
            throw unlessFull(e);
        }
    }

    /// Forgets producers that have been silent for `producer.id.expiration.ms`.
    public void expireProducers(long nowMs) {
        if (!published.open()) {
            return;
        }
        lock();
        try {
            producers.removeExpired(nowMs, environment.producerIdExpirationMs().getAsInt());
            producerCount = producers.size();
        } finally {
            lock.unlock();
        }
    }

    /// Whether `flush.ms` has passed since the last flush, with something to flush.
    public boolean flushIsDue(long nowMs) {
        long flushMs = config.flushMs();
        var view = published.view();
        return flushMs != Long.MAX_VALUE
                && view.recoveryPoint() < view.logEndOffset()
                && nowMs - flush.forcedUpToMs() >= flushMs;
    }

    /// Below this offset the records survive a power cut. Never below the recovery point.
    public long flushedUpTo() {
        view();
        return flush.flushedUpTo();
    }

    /// Makes everything that is in the log now durable, and moves the recovery point. Appends go on meanwhile.
    public void flush() {
        openUnflushed(published.view().recoveryPoint());
        flushUpTo(LogFlush.Extent.ALL, Long.MAX_VALUE);
    }

    /// Makes the records that are in the log now durable, and moves [#flushedUpTo]; what can be built again from
    /// them is left for later. Appends go on meanwhile.
    public void flushRecords() {
        openUnflushed(flush.flushedUpTo());
        flushUpTo(LogFlush.Extent.RECORDS, Long.MAX_VALUE);
    }

    /// The process before this one may have written something and not have come to flushing it.
    private void openUnflushed(long flushedUpTo) {
        var current = published;
        if (!current.open() && (!viewKnown || flushedUpTo < current.view().logEndOffset())) {
            opened();
        }
    }

    /// Makes what lies before the active segment durable.
    public void flushInactive() {
        var current = published;
        if (current.open() && current.view().recoveryPoint() < current.view().activeSegmentBaseOffset()) {
            flushUpTo(LogFlush.Extent.ALL, current.view().activeSegmentBaseOffset());
        }
    }

    private void flushUpTo(LogFlush.Extent extent, long offset) {
        LogFlush.Plan plan;
        Path from;
        Path in;
        LogJournal owner;
        lock();
        try {
            plan = planFlush(extent, offset);
            from = directory;
            in = logDir;
            owner = journal;
        } catch (IOException e) {
            throw unlessFull(e);
        } finally {
            lock.unlock();
        }
        if (plan == null) {
            return;
        }
        try {
            flush.force(plan, from, in);
            lock();
            try {
                finishFlush(plan);
            } finally {
                lock.unlock();
            }
        } catch (IOException e) {
            // The log may have moved to another directory meanwhile.
            throw owner.failed(this, e);
        } finally {
            plan.release();
        }
    }

    private void flushUnderLock() throws IOException {
        var plan = planFlush(LogFlush.Extent.ALL, Long.MAX_VALUE);
        if (plan != null) {
            try {
                flush.force(plan, directory, logDir);
                finishFlush(plan);
            } finally {
                plan.release();
            }
        }
    }

    private LogFlush.@Nullable Plan planFlush(LogFlush.Extent extent, long upTo) throws IOException {
        var current = published;
        if (!current.open() || retired || !directoryMade) {
            return null;
        }
        journal.checkOnline();
        if (extent == LogFlush.Extent.ALL) {
            writeEpochs();
        }
        return flush.plan(extent, current.view(), current.segments(), upTo);
    }

    private void finishFlush(LogFlush.Plan plan) {
        var current = published;
        var view = current.view();
        if (flush.done(plan) && plan.extent() == LogFlush.Extent.ALL && plan.endOffset() > view.recoveryPoint()) {
            unsavedState = true;
            publish(
                    current.segments(),
                    view.logStartOffset(),
                    view.logEndOffset(),
                    plan.endOffset(),
                    view.sizeInBytes());
        }
    }

    private void writeEpochs() throws IOException {
        if (epochsChanged && directoryMade) {
            var path = directory.resolve(LeaderEpochCheckpoint.FILE_NAME);
            storage.replace(path, LeaderEpochCheckpoint.format(epochs), false);
            flush.written(path);
            epochsChanged = false;
        }
    }

    /// Takes what a summary of a log, while the log cannot change.
    public interface SummarySink {
        void accept(LogSummary summary) throws IOException;
    }

    /// Tells the sink what the directory should remember of the log now, after saving what goes with it; not if
    /// nothing has changed since the last call. The next change after it is announced to the journal again.
    ///
    /// @param owner of the directory that is to remember it; nothing happens if the log is not
    ///     there any more
    public void save(LogJournal owner, SummarySink sink) {
        if (!unsavedState) {
            return;
        }
        lock();
        try {
            if (journal != owner) {
                return;
            }
            var current = published;
            if (retired || !directoryMade) {
                unsavedState = false;
                return;
            }
            if (current.open()) {
                writeEpochs();
                if (bytesSinceSave >= BYTES_BETWEEN_SAVES && current.segments().length > 0) {
                    takeSnapshot(current.view().logEndOffset());
                    current.segments()[current.segments().length - 1].writeIndexes();
                }
            }
            unsavedState = false;
            sink.accept(summary(published));
            journaled = false;
        } catch (IOException e) {
            unsavedState = true;
            throw unlessFull(e);
        } finally {
            lock.unlock();
        }
    }

    private LogSummary summary(Published current) throws IOException {
        var view = current.view();
        boolean known = current.open() || viewKnown;
        return new LogSummary(
                topicId,
                known ? view : null,
                view.recoveryPoint(),
                highWatermark,
                current.activeSize(),
                known ? openingAfter(current) : opening);
    }

    private OpeningState openingAfter(Published current) throws IOException {
        var view = current.view();
        return new OpeningState(
                true,
                view.logEndOffset(),
                view.logEndOffset(),
                view.logStartOffset(),
                true,
                true,
                opening.mayHaveGaps(),
                view.sizeInBytes(),
                current.open() ? digest(current) : opening.digest());
    }

    private LogDigest digest(Published current) throws IOException {
        return LogDigest.of(
                List.of(current.segments()),
                epochs,
                current.view(),
                environment.scratch().get());
    }

    // ---- the end

    /// Flushes and closes the files so that the next start finds nothing in doubt.
    ///
    /// @return what the directory should remember, null if there is nothing on disk
    public @Nullable LogSummary close() {
        flush();
        lock();
        try {
            var current = published;
            if (retired || !directoryMade) {
                return null;
            }
            if (current.open()) {
                doomed.work(Long.MAX_VALUE, () -> true, this::settle);
                writeEpochs();
                var segments = current.segments();
                if (segments.length > 0) {
                    takeSnapshot(current.view().logEndOffset());
                }
                var summary = summary(published);
                // Other segments were closed for writing when they were rolled.
                for (int i = 0; i < segments.length; i++) {
                    if (i == segments.length - 1) {
                        segments[i].finish();
                    }
                    segments[i].release();
                }
                flush.forceRest(directory);
                retired = true;
                return summary;
            }
            retired = true;
            return summary(current);
        } catch (IOException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }

    /// Lets go of the files without a word, as after a failure of the directory.
    public void abandon() {
        lock();
        try {
            if (retired) {
                return;
            }
            retired = true;
            for (var segment : published.segments()) {
                segment.release();
            }
            doomed.close();
        } finally {
            lock.unlock();
        }
    }

    private void announceDeletion() throws IOException {
        try {
            journal.beforeDeletion(this);
        } catch (IOException e) {
            throw unlessFull(e);
        }
    }

    /// Renames the partition's directory; nothing can be appended any more. The caller deletes it later.
    ///
    /// @return the new name, null if there never was a directory
    public @Nullable Path renameForDeletion(String newName) {
        lock();
        try {
            if (retired) {
                return null;
            }
            var segments = published.segments();
            Path target = null;
            // Were the rename durable and this not, the next start would look for records that are gone.
            announceDeletion();
            doomed.close();
            if (directoryMade && storage.exists(directory)) {
                target = logDir.resolve(newName);
                storage.rename(directory, target);
                storage.syncDirectory(logDir);
                directory = target;
                for (var segment : segments) {
                    segment.movedTo(target);
                }
            }
            retired = true;
            for (var segment : segments) {
                segment.release();
            }
            LOG.debug("Deleted log partition={}", topicPartition);
            return target;
        } catch (IOException e) {
            throw failed(e);
        } finally {
            lock.unlock();
        }
    }
}
