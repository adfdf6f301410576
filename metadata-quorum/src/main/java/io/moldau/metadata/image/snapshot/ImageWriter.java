package io.moldau.metadata.image.snapshot;

import com.google.protobuf.MessageLite;
import io.moldau.metadata.image.BrokerRegistration;
import io.moldau.metadata.image.ControllerRegistration;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.message.SnapshotFooter;
import io.moldau.metadata.message.SnapshotHeader;
import io.moldau.metadata.record.ClusterRecord;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.CountersRecord;
import io.moldau.metadata.record.FeatureLevelRecord;
import io.moldau.metadata.record.Id;
import io.moldau.metadata.record.MetadataBatch;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.ProducerIdsRecord;
import io.moldau.metadata.record.TopicRecord;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/// Writes an image as the records that lead to it from nothing.
public final class ImageWriter {

    private static final int BATCH_BYTES = 256 << 10;

    private final DataOutputStream out;
    private MetadataBatch.Builder batch = MetadataBatch.newBuilder();
    private int batchBytes;
    private long records;

    private ImageWriter(OutputStream out) {
        this.out = new DataOutputStream(out);
    }

    /// Writes a snapshot. Does not close or flush further than `out`.
    ///
    /// @param index where the log stands, which may be past the image's last batch
    public static void write(MetadataImage image, long index, int term, OutputStream out) throws IOException {
        var writer = new ImageWriter(out);
        try {
            writer.out.writeLong(SnapshotFormat.MAGIC);
            writer.frame(
                    SnapshotFormat.HEADER,
                    SnapshotHeader.newBuilder()
                            .setIndex(index)
                            .setTerm(term)
                            .setTimestampMs(image.provenance().timestampMs())
                            .build());
            records(image, writer::add);
            writer.endBatch();
            writer.frame(
                    SnapshotFormat.FOOTER,
                    SnapshotFooter.newBuilder().setRecordCount(writer.records).build());
            writer.out.flush();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /// The records that lead from the empty image to this one.
    public static void records(MetadataImage image, Consumer<MetadataRecord> to) {
        if (!image.isEmpty()) {
            to.accept(MetadataRecords.of(ClusterRecord.newBuilder()
                    .setClusterId(MetadataRecords.id(image.cluster().clusterId()))
                    .setIncarnation(MetadataRecords.id(image.cluster().incarnation()))
                    .build()));
        }
        image.features()
                .finalizedLevels()
                .forEach((name, level) -> to.accept(MetadataRecords.of(FeatureLevelRecord.newBuilder()
                        .setName(name)
                        .setLevel(level)
                        .build())));
        for (ControllerRegistration controller : image.cluster().controllers()) {
            to.accept(MetadataRecords.of(controller.toRecord()));
        }
        for (BrokerRegistration broker : image.cluster().brokers()) {
            to.accept(MetadataRecords.of(broker.toRecord()));
        }
        if (image.cluster().lastBrokerEpoch() != 0) {
            to.accept(MetadataRecords.of(CountersRecord.newBuilder()
                    .setLastBrokerEpoch(image.cluster().lastBrokerEpoch())
                    .build()));
        }
        for (TopicImage topic : image.topics().topics()) {
            Id id = MetadataRecords.id(topic.id());
            to.accept(MetadataRecords.of(TopicRecord.newBuilder()
                    .setName(topic.name())
                    .setTopicId(id)
                    .build()));
            topic.partitions()
                    .forEach((partition, registration) ->
                            to.accept(MetadataRecords.of(registration.toRecord(id, partition))));
        }
        image.configs()
                .resources()
                .forEach((resource, overrides) -> overrides.forEach((name, value) -> {
                    to.accept(MetadataRecords.of(ConfigRecord.newBuilder()
                            .setResourceType(resource.type().code())
                            .setResourceName(resource.name())
                            .setName(name)
                            .setValue(value)
                            .build()));
                }));
        if (image.producerIds().nextProducerId() != 0) {
            to.accept(MetadataRecords.of(ProducerIdsRecord.newBuilder()
                    .setBrokerId(-1)
                    .setBrokerEpoch(-1)
                    .setNextProducerId(image.producerIds().nextProducerId())
                    .build()));
        }
        image.openTransaction().forEach(to);
    }

    private void add(MetadataRecord record) {
        batch.addRecords(record);
        batchBytes += record.getSerializedSize();
        records++;
        if (batchBytes >= BATCH_BYTES) {
            endBatch();
        }
    }

    private void endBatch() {
        if (batch.getRecordsCount() == 0) {
            return;
        }
        try {
            frame(SnapshotFormat.BATCH, batch.build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        batch = MetadataBatch.newBuilder();
        batchBytes = 0;
    }

    private void frame(int kind, MessageLite message) throws IOException {
        byte[] payload = message.toByteArray();
        var crc = new CRC32C();
        crc.update(kind);
        crc.update(payload);
        out.writeByte(kind);
        out.writeInt(payload.length);
        out.writeInt((int) crc.getValue());
        out.write(payload);
    }
}
