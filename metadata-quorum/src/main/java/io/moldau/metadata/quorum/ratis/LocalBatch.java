package io.moldau.metadata.quorum.ratis;

import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.quorum.Applied;
import io.moldau.metadata.record.MetadataBatch;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/// A batch on its way from this node's controller through Ratis to this node's state machine. What came over the
/// network can never be one, and nothing else is accepted.
final class LocalBatch implements Message {

    private final MetadataBatch batch;
    private final ByteString content;
    private volatile @Nullable Applied applied;

    LocalBatch(MetadataBatch batch) {
        this.batch = batch;
        this.content = EntryFormat.encode(batch);
    }

    @Override
    public ByteString getContent() {
        return content;
    }

    MetadataBatch batch() {
        return batch;
    }

    int epoch() {
        return batch.getEpoch();
    }

    void applied(long index, MetadataImage image) {
        applied = new Applied(index, image);
    }

    @Nullable
    Applied applied() {
        return applied;
    }
}
