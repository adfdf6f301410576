package io.moldau.broker.coordinator.group.consumer;

import io.moldau.common.Uuid;
import io.moldau.wire.message.ConsumerProtocolAssignment;
import io.moldau.wire.message.ConsumerProtocolSubscription;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What consumers of the classic protocol put into the bytes of JoinGroup and SyncGroup: a 16-bit version, then a
/// subscription or an assignment.
public final class EmbeddedProtocol {

    /// Under which groups of consumers join.
    public static final String TYPE = "consumer";

    private EmbeddedProtocol() {}

    /// @throws MalformedMessageException if the bytes are something else
    public static ConsumerProtocolSubscription subscription(byte[] bytes) {
        var subscription = new ConsumerProtocolSubscription();
        read(bytes, subscription);
        return subscription;
    }

    /// @throws MalformedMessageException if the bytes are something else
    public static ConsumerProtocolAssignment assignment(byte[] bytes) {
        var assignment = new ConsumerProtocolAssignment();
        if (bytes.length > 0) {
            read(bytes, assignment);
        }
        return assignment;
    }

    /// A newer version begins as the newest that is known.
    private static void read(byte[] bytes, Message into) {
        var in = new ByteBufferReadable(ByteBuffer.wrap(bytes));
        short version = in.readShort();
        if (version < into.lowestSupportedVersion()) {
            throw new MalformedMessageException("a consumer's metadata has version " + version);
        }
        into.read(in, (short) Math.min(version, into.highestSupportedVersion()));
    }

    /// An assignment in the version of the member's subscription.
    ///
    /// @param topicName of an id, or null if the topic is gone
    public static byte[] assignment(
            Map<Uuid, ? extends Set<Integer>> partitions,
            byte[] subscription,
            Function<Uuid, @Nullable String> topicName) {
        var byName = new TreeMap<String, List<Integer>>();
        partitions.forEach((id, indexes) -> {
            var name = topicName.apply(id);
            if (name != null) {
                byName.put(name, new ArrayList<>(new TreeSet<>(indexes)));
            }
        });
        var assignment = new ConsumerProtocolAssignment();
        byName.forEach((name, indexes) -> assignment
                .assignedPartitions()
                .add(new ConsumerProtocolAssignment.TopicPartition()
                        .setTopic(name)
                        .setPartitions(indexes)));
        short asked = new ByteBufferReadable(ByteBuffer.wrap(subscription)).readShort();
        short version = (short) Math.min(asked, ConsumerProtocolAssignment.HIGHEST_SUPPORTED_VERSION);
        var out = new ByteBufferWritable();
        out.writeShort(version);
        assignment.write(out, version);
        return out.toByteArray();
    }
}
