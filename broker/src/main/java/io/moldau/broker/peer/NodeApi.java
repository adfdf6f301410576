package io.moldau.broker.peer;

import org.jspecify.annotations.Nullable;

/// The requests nodes make of each other that the Kafka protocol has no equal form of. They come with a Kafka request
/// header of version 2 and a response header of version 1 on the listeners of controllers, and no ApiVersions answer
/// names them. Their bodies are protobuf; an answer begins with an error code of two bytes, and where that is not 0 the
/// rest is a message for people.
public enum NodeApi {
    REGISTER_BROKER(20_000),
    BROKER_HEARTBEAT(20_001),
    ALTER_PARTITION(20_002),
    ALLOCATE_PRODUCER_IDS(20_003),
    FETCH_METADATA(20_004),
    FETCH_SNAPSHOT(20_005),
    FORWARD(20_006),
    CLUSTER_IDENTITY(20_008),
    RAFT(20_010);

    private static final int FIRST_KEY = 20_000;
    private static final @Nullable NodeApi[] BY_KEY = new @Nullable NodeApi[11];

    static {
        for (NodeApi api : values()) {
            BY_KEY[api.key - FIRST_KEY] = api;
        }
    }

    private final short key;

    NodeApi(int key) {
        this.key = (short) key;
    }

    /// The request of that key, or null when there is none.
    public static @Nullable NodeApi forKey(short key) {
        int index = key - FIRST_KEY;
        return index >= 0 && index < BY_KEY.length ? BY_KEY[index] : null;
    }

    public short key() {
        return key;
    }
}
