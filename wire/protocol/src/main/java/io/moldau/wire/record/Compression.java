package io.moldau.wire.record;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.moldau.wire.protocol.MalformedMessageException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.SnappyOutputStream;

/// The codecs of record batches, by their id in a batch's attributes and their name in the configuration.
public enum Compression {
    NONE(0, "none", 0, 0, 0),
    GZIP(1, "gzip", -1, 1, 9),
    SNAPPY(2, "snappy", 0, 0, 0),
    LZ4(3, "lz4", 9, 1, 17),
    ZSTD(4, "zstd", 3, -131072, 22);

    private static final Compression[] BY_ID = values();

    private final int id;
    private final String configName;
    private final int defaultLevel;
    private final int minLevel;
    private final int maxLevel;

    Compression(int id, String configName, int defaultLevel, int minLevel, int maxLevel) {
        this.id = id;
        this.configName = configName;
        this.defaultLevel = defaultLevel;
        this.minLevel = minLevel;
        this.maxLevel = maxLevel;
    }

    /// The codec with this id.
    ///
    /// @throws MalformedMessageException if there is none
    public static Compression forId(int id) {
        if (id < 0 || id >= BY_ID.length) {
            throw new MalformedMessageException("No compression codec has the id " + id);
        }
        return BY_ID[id];
    }

    /// The codec with this name, as in `compression.type`, or null.
    public static @Nullable Compression forConfigName(String name) {
        for (Compression compression : BY_ID) {
            if (compression.configName.equals(name)) {
                return compression;
            }
        }
        return null;
    }

    public int id() {
        return id;
    }

    public String configName() {
        return configName;
    }

    /// The level Kafka uses when none is configured; zero where a codec has no levels.
    public int defaultLevel() {
        return defaultLevel;
    }

    public int minLevel() {
        return minLevel;
    }

    public int maxLevel() {
        return maxLevel;
    }

    public boolean hasLevels() {
        return maxLevel != minLevel;
    }

    public boolean isValidLevel(int level) {
        return level == defaultLevel || (level >= minLevel && level <= maxLevel);
    }

    /// The bytes between position and limit, compressed in the framing Kafka uses for this codec.
    ///
    /// @throws IllegalArgumentException if the codec has no such level
    public ByteBuffer compress(ByteBuffer source, int level) {
        byte[] bytes = new byte[source.remaining()];
        source.get(source.position(), bytes);
        var out = new ByteArrayOutput(Math.max(64, bytes.length / 2));
        compress(bytes, bytes.length, level, out);
        return ByteBuffer.wrap(out.array(), 0, out.size());
    }

    /// What [#compress] was given, or a client of Kafka compressed.
    ///
    /// @throws MalformedMessageException if the bytes are not sound
    /// @throws DecompressionLimitException if they hold more than `maxBytes`
    public ByteBuffer decompress(ByteBuffer compressed, int maxBytes) {
        if (this == NONE) {
            return compressed.slice();
        }
        byte[] bytes = new byte[(int) Math.min(maxBytes, Math.max(256L, 4L * compressed.remaining()))];
        int size = 0;
        try (Decompressor decompressor = decompressor(compressed, DecompressionLimits.DEFAULT.maxZstdWindowLog())) {
            int probe;
            while ((probe = decompressor.read(bytes, size, bytes.length - size)) >= 0) {
                size += probe;
                if (size == bytes.length) {
                    byte[] one = new byte[1];
                    if (decompressor.read(one, 0, 1) < 0) {
                        break;
                    }
                    if (size == maxBytes) {
                        throw new DecompressionLimitException(
                                configName + " data holds more than the allowed " + maxBytes + " bytes");
                    }
                    bytes = Arrays.copyOf(bytes, (int) Math.min(maxBytes, 2L * size));
                    bytes[size++] = one[0];
                }
            }
        }
        return ByteBuffer.wrap(bytes, 0, size);
    }

    void compress(byte[] source, int length, int level, ByteArrayOutput out) {
        if (!isValidLevel(level)) {
            throw new IllegalArgumentException(configName + " has no compression level " + level);
        }
        try {
            switch (this) {
                case NONE -> out.write(source, 0, length);
                case GZIP -> writeAll(source, length, gzip(out, level));
                case SNAPPY -> writeAll(source, length, new SnappyOutputStream(out));
                case LZ4 -> Lz4Frames.compress(source, length, level, out);
                case ZSTD ->
                    writeAll(source, length, new ZstdOutputStreamNoFinalizer(out, RecyclingBufferPool.INSTANCE, level));
            }
        } catch (IOException e) {
            // The target is memory, so this is the codec that gave up.
            throw new UncheckedIOException(configName + " cannot compress", e);
        }
    }

    /// A stream of what the bytes between position and limit hold; to be closed.
    Decompressor decompressor(ByteBuffer compressed, int maxZstdWindowLog) {
        return switch (this) {
            case NONE -> throw new IllegalStateException("There is nothing to decompress");
            case GZIP -> StreamDecompressor.gzip(compressed);
            case SNAPPY -> new SnappyDecompressor(compressed);
            case LZ4 -> new Lz4Frames.Reader(compressed);
            case ZSTD -> StreamDecompressor.zstd(compressed, maxZstdWindowLog);
        };
    }

    private static void writeAll(byte[] source, int length, OutputStream stream) throws IOException {
        try (stream) {
            stream.write(source, 0, length);
        }
    }

    private static OutputStream gzip(OutputStream out, int level) throws IOException {
        return new GZIPOutputStream(out, 8 << 10) {
            {
                def.setLevel(level);
            }
        };
    }
}
