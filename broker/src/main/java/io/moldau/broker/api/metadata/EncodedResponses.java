package io.moldau.broker.api.metadata;

import io.moldau.broker.metadata.ClusterView;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.wire.protocol.ByteBufferWritable;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.Readable;
import io.moldau.wire.protocol.Writable;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// Answers that are the same for everybody until the metadata changes, kept as bytes: encoding thousands of topics
/// again for every client that refreshes its view would be the costliest thing an idle cluster does.
///
/// Holds at most [#MAX_ANSWERS] answers, of the newest view only. Callable from any thread.
final class EncodedResponses {

    private static final int MAX_ANSWERS = 256;

    /// @param question what else the answer depends on
    private record Key(String listener, short version, Object question) {}

    private record Generation(MetadataImage image, Set<Integer> hungUp, Map<Key, Encoded> answers) {

        boolean shows(ClusterView view) {
            return image == view.image() && hungUp.equals(view.hungUp());
        }
    }

    private volatile Generation generation = new Generation(MetadataImage.EMPTY, Set.of(), new ConcurrentHashMap<>());

    /// @param question what was asked, by its value
    /// @param make the answer to it, from the view alone
    Message get(ClusterView view, short version, Object question, Supplier<? extends Message> make) {
        Generation current = generation;
        if (!current.shows(view)) {
            current = new Generation(view.image(), view.hungUp(), new ConcurrentHashMap<>());
            generation = current;
        }
        Key key = new Key(view.listenerName(), version, question);
        Message known = current.answers().get(key);
        if (known != null) {
            return known;
        }
        if (current.answers().size() >= MAX_ANSWERS) {
            return make.get();
        }
        return current.answers().computeIfAbsent(key, absent -> Encoded.of(make.get(), version));
    }

    /// A message in the one version it was encoded in.
    private record Encoded(Message message, short version, byte[] bytes) implements Message {

        static Encoded of(Message message, short version) {
            ByteBufferWritable out = new ByteBufferWritable();
            message.write(out, version);
            return new Encoded(message, version, out.toByteArray());
        }

        @Override
        public short apiKey() {
            return message.apiKey();
        }

        @Override
        public short lowestSupportedVersion() {
            return version;
        }

        @Override
        public short highestSupportedVersion() {
            return version;
        }

        @Override
        public void read(Readable in, short readVersion) {
            throw new UnsupportedOperationException("an encoded message cannot be read into");
        }

        @Override
        public void write(Writable out, short writeVersion) {
            if (writeVersion != version) {
                throw new IllegalArgumentException(
                        "encoded in version " + version + ", asked for in version " + writeVersion);
            }
            out.writeBytes(bytes);
        }
    }
}
