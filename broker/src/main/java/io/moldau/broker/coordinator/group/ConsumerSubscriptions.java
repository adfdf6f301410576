package io.moldau.broker.coordinator.group;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Reads the topics out of the subscriptions that consumers put into their protocol metadata.
///
/// Every version begins alike: a 16-bit version, then an array of topic names. The rest is between the members.
final class ConsumerSubscriptions {

    private ConsumerSubscriptions() {}

    /// The topics of all subscriptions together, or null if one of them cannot be read.
    static @Nullable Set<String> topics(List<byte[]> subscriptions) {
        var topics = new HashSet<String>();
        try {
            for (var subscription : subscriptions) {
                var in = ByteBuffer.wrap(subscription);
                if (in.getShort() < 0) {
                    return null;
                }
                int count = in.getInt();
                if (count < 0 || count > in.remaining() / Short.BYTES) {
                    return null;
                }
                for (int i = 0; i < count; i++) {
                    int length = in.getShort();
                    if (length < 0 || length > in.remaining()) {
                        return null;
                    }
                    var name = new byte[length];
                    in.get(name);
                    topics.add(new String(name, StandardCharsets.UTF_8));
                }
            }
        } catch (BufferUnderflowException truncated) {
            return null;
        }
        return topics;
    }
}
