package io.moldau.wire.parity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.moldau.testing.Seeds;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.netty.ByteBufReadable;
import io.moldau.wire.protocol.ByteBufferReadable;
import io.moldau.wire.protocol.MalformedMessageException;
import io.moldau.wire.protocol.Message;
import io.moldau.wire.protocol.Readable;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Bytes that are no message: decoding ends with the declared exception, having reserved no more than the bytes
/// justify.
class MalformedInputTest {

    /// The first lists, exception texts and the like.
    private static final long ALLOWED_BYTES = 64 * 1024;

    /// A decoded field costs more than its bytes: a struct of two bytes is an object with a list or two in it.
    private static final long ALLOWED_BYTES_PER_BYTE = 150;

    private static final int POSITIONS = 12;

    /// What a damaged length may read: -1, the smallest and largest numbers, as fixed int, short and varint.
    private static final byte[][] LENGTHS = {
        HexFormat.of().parseHex("ffffffff"),
        HexFormat.of().parseHex("7fffffff"),
        HexFormat.of().parseHex("80000000"),
        HexFormat.of().parseHex("7fff"),
        HexFormat.of().parseHex("fffe"),
        HexFormat.of().parseHex("ffffffff07"),
        HexFormat.of().parseHex("ffffffff0f"),
        HexFormat.of().parseHex("8080808008"),
        HexFormat.of().parseHex("ffffffffffffffffff01"),
    };

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @FunctionalInterface
    private interface Damage {
        void apply(Class<? extends Message> type, short version, byte[] bytes);
    }

    private static void forEveryVersion(RandomGenerator random, Damage damage) {
        for (var type : MessageClasses.all()) {
            var twin = KafkaTwin.of(type);
            var message = MessageClasses.create(type);
            for (short v = message.lowestSupportedVersion(); v <= message.highestSupportedVersion(); v++) {
                var whole = MessageClasses.create(type);
                new RandomMessages(random).fill(whole, twin.schema(v));
                damage.apply(type, v, MessageBytes.encode(whole, v));
            }
        }
    }

    /// Decodes and says whether the bytes were a message. Fails on any other exception and on memory beyond the bound.
    private static boolean decodes(Class<? extends Message> type, short version, byte[] bytes) {
        boolean decoded = decodes(type, version, bytes, () -> new ByteBufferReadable(ByteBuffer.wrap(bytes)));
        assertThat(decodes(type, version, bytes, () -> new ByteBufReadable(Unpooled.wrappedBuffer(bytes))))
                .isEqualTo(decoded);
        return decoded;
    }

    private static boolean decodes(
            Class<? extends Message> type, short version, byte[] bytes, Supplier<Readable> input) {
        var message = MessageClasses.create(type);
        long allowed = ALLOWED_BYTES + ALLOWED_BYTES_PER_BYTE * bytes.length;
        boolean decoded = false;
        long allocated = Long.MAX_VALUE;
        // The first failure of a kind makes the JVM link the code that words its message, so measure again then.
        for (int attempt = 0; attempt < 2 && allocated > allowed; attempt++) {
            var in = input.get();
            long before = THREADS.getCurrentThreadAllocatedBytes();
            decoded = read(message, in, version, bytes);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        if (allocated > allowed) {
            throw new AssertionError(type.getSimpleName() + " version " + version + " took " + allocated
                    + " bytes of memory for " + bytes.length + " bytes: " + describe(bytes));
        }
        return decoded;
    }

    private static boolean read(Message message, Readable in, short version, byte[] bytes) {
        try {
            message.read(in, version);
            return true;
        } catch (MalformedMessageException e) {
            return false;
        } catch (RuntimeException | Error e) {
            throw new AssertionError(
                    message.getClass().getSimpleName() + " version " + version + " from " + describe(bytes), e);
        }
    }

    private static String describe(byte[] bytes) {
        return HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 4000));
    }

    @Seeds(count = 3)
    void aMessageCutAnywhereIsRefused(long seed) {
        var random = new SplittableRandom(seed);
        forEveryVersion(random, (type, version, bytes) -> {
            assertThat(decodes(type, version, bytes)).isTrue();
            // Every position of short messages, some of long ones.
            int step = 1 + bytes.length / 300;
            for (int end = random.nextInt(step); end < bytes.length; end += step) {
                assertThat(decodes(type, version, Arrays.copyOf(bytes, end)))
                        .as("%s version %s cut at %s of %s", type.getSimpleName(), version, end, bytes.length)
                        .isFalse();
            }
        });
    }

    @Seeds(count = 4)
    void flippedBitsAreReadOrRefused(long seed) {
        var random = new SplittableRandom(seed);
        forEveryVersion(random, (type, version, bytes) -> {
            for (int i = 0; i < POSITIONS && bytes.length > 0; i++) {
                var damaged = bytes.clone();
                for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                }
                decodes(type, version, damaged);
            }
        });
    }

    @Seeds(count = 4)
    void impossibleLengthsAreReadOrRefused(long seed) {
        var random = new SplittableRandom(seed);
        forEveryVersion(random, (type, version, bytes) -> {
            for (var length : LENGTHS) {
                if (bytes.length < length.length) {
                    continue;
                }
                var damaged = bytes.clone();
                System.arraycopy(length, 0, damaged, random.nextInt(bytes.length - length.length + 1), length.length);
                decodes(type, version, damaged);
            }
        });
    }

    @Seeds(count = 4)
    void garbageIsReadOrRefused(long seed) {
        var random = new SplittableRandom(seed);
        forEveryVersion(random, (type, version, bytes) -> {
            var garbage = new byte[random.nextInt(2000)];
            random.nextBytes(garbage);
            if (random.nextBoolean()) {
                // Small numbers make for counts that hold and lead on.
                for (int i = 0; i < garbage.length; i++) {
                    garbage[i] &= 0x03;
                }
            }
            decodes(type, version, garbage);
        });
    }

    @Test
    void aCountBeyondTheBytesThatAreLeftReservesNothing() {
        var bytes = ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array();

        assertThatThrownBy(() -> new MetadataRequestData(new ByteBufferReadable(ByteBuffer.wrap(bytes)), (short) 1))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessage("field topics claims 2147483647 elements but only 0 bytes are left");
    }

    /// An honest count of the smallest elements in a large frame, and the end missing.
    @Test
    void manySmallElementsCostInProportion() {
        var bytes = new byte[1 << 20];
        Arrays.fill(bytes, (byte) 1);
        for (var type : MessageClasses.all()) {
            var message = MessageClasses.create(type);
            for (short v = message.lowestSupportedVersion(); v <= message.highestSupportedVersion(); v++) {
                decodes(type, v, bytes);
            }
        }
    }

    /// Tags in descending order must not cost a shift of all that came before.
    @Test
    void unknownTagsInDescendingOrderAreSortedOnce() {
        int count = 200_000;
        var bytes = ByteBuffer.allocate(16 + 4 * count);
        bytes.put((byte) 1).put((byte) 1); // an empty array of topics, no auto creation
        bytes.put((byte) 0);
        putVarint(bytes, count);
        for (int tag = count; tag > 0; tag--) {
            putVarint(bytes, tag);
            bytes.put((byte) 0);
        }
        var message = new MetadataRequestData(new ByteBufferReadable(bytes.flip()), (short) 12);

        assertThat(bytes.remaining()).isZero();
        assertThat(message.unknownTaggedFields()).hasSize(count).isSortedAccordingTo((a, b) -> a.tag() - b.tag());
    }

    private static void putVarint(ByteBuffer bytes, int value) {
        int rest = value;
        while (rest > 0x7F) {
            bytes.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        bytes.put((byte) rest);
    }

    @ParameterizedTest
    @ValueSource(shorts = {-1, 2, 14, Short.MAX_VALUE})
    void aVersionThatDoesNotExistIsRefused(short version) {
        assertThatThrownBy(() ->
                        new ProduceRequestData().read(new ByteBufferReadable(ByteBuffer.wrap(new byte[100])), version))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining("ProduceRequestData has versions 3 to 13");
    }
}
