package io.moldau.wire.record;

import io.moldau.wire.protocol.MalformedMessageException;
import org.jspecify.annotations.Nullable;

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
}
