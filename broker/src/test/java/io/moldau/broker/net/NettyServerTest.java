package io.moldau.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.request.RequestMetrics;
import io.moldau.broker.request.RequestRouter;
import io.moldau.common.time.SystemTime;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.netty.ByteBufRecords;
import io.moldau.wire.protocol.ApiKey;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A server with real sockets.
class NettyServerTest {

    private static final short FETCH_VERSION = 4;
    private static final int RESPONSE_BYTES = 100_000;

    private final EventLoops loops = new EventLoops(2, new SystemTime());
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger pauses = new AtomicInteger();

    private final RequestMetrics metrics = new RequestMetrics() {
        @Override
        public void connectionOpened(String listener) {
            open.incrementAndGet();
        }

        @Override
        public void readingPaused(String listener) {
            pauses.incrementAndGet();
        }

        @Override
        public void connectionClosed(String listener) {
            open.decrementAndGet();
        }
    };

    private NettyServer server = server(NetworkConfig.DEFAULTS);

    private NettyServer server(NetworkConfig config) {
        RequestRouter router = RequestRouter.builder()
                .metrics(metrics)
                .on(ApiKey.HEARTBEAT, HeartbeatRequestData.class, (context, request) -> {
                    assertThat(context.clientAddress()).isEqualTo("127.0.0.1");
                    assertThat(context.listenerName()).isIn("ONE", "TWO");
                    context.respond(new HeartbeatResponseData());
                })
                .on(ApiKey.FETCH, FetchRequestData.class, (context, request) -> {
                    served.incrementAndGet();
                    var partition = new FetchResponseData.PartitionData()
                            .setRecords(new ByteBufRecords(loops.allocator()
                                    .directBuffer(RESPONSE_BYTES)
                                    .writeZero(RESPONSE_BYTES)));
                    var topic = new FetchResponseData.FetchableTopicResponse().setTopic("t");
                    topic.partitions().add(partition);
                    var response = new FetchResponseData();
                    response.responses().add(topic);
                    context.respond(response);
                })
                .build();
        return new NettyServer(config, loops, router, metrics);
    }

    @AfterEach
    void stop() {
        server.close();
        loops.close();
    }

    private static void heartbeat(Socket socket, int correlationId) throws IOException {
        socket.getOutputStream()
                .write(Frames.request(ApiKey.HEARTBEAT, (short) 4, correlationId, new HeartbeatRequestData()));
        var in = new DataInputStream(socket.getInputStream());
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        assertThat(java.nio.ByteBuffer.wrap(frame).getInt()).isEqualTo(correlationId);
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        var socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    @Test
    void severalListenersServeTheSame() throws IOException {
        InetSocketAddress one = server.bind(new ListenerConfig("ONE", "PLAINTEXT", "127.0.0.1", 0));
        InetSocketAddress two = server.bind(new ListenerConfig("TWO", "PLAINTEXT", "127.0.0.1", 0));
        assertThat(server.addressOf("TWO")).isEqualTo(two);
        try (Socket first = connect(one);
                Socket second = connect(two)) {
            heartbeat(first, 7);
            heartbeat(second, 8);
            heartbeat(first, 9);
            assertThat(server.connectionCount()).isEqualTo(2);
        }
        assertThatThrownBy(() -> server.bind(new ListenerConfig("THREE", "PLAINTEXT", "127.0.0.1", one.getPort())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("THREE")
                .hasMessageContaining(String.valueOf(one.getPort()));
    }

    @Test
    void connectionsBeyondTheLimitAreClosed() throws IOException {
        server = server(new NetworkConfig(2, 2, 10, Map.of(), 0, 1 << 20, 1 << 20, 10, 1 << 20, -1, -1, 50));
        InetSocketAddress address = server.bind(new ListenerConfig("ONE", "PLAINTEXT", "127.0.0.1", 0));
        try (Socket first = connect(address);
                Socket second = connect(address)) {
            heartbeat(first, 1);
            heartbeat(second, 2);
            try (Socket third = connect(address)) {
                assertThat(third.getInputStream().read()).isEqualTo(-1);
            }
            heartbeat(first, 3);
        }
        while (open.get() > 0) {
            Thread.onSpinWait();
        }
        try (Socket again = connect(address)) {
            heartbeat(again, 4);
        }
    }

    /// A peer that asks and asks and never reads: the server stops serving it long before memory is a matter, and
    /// goes on when it reads.
    @Test
    void whoDoesNotReadIsNotServedFurther() throws Exception {
        int requests = 1000;
        InetSocketAddress address = server.bind(new ListenerConfig("ONE", "PLAINTEXT", "127.0.0.1", 0));
        try (Socket greedy = new Socket()) {
            greedy.setReceiveBufferSize(64 * 1024);
            greedy.connect(address);
            Thread asking = Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; i < requests; i++) {
                        greedy.getOutputStream()
                                .write(Frames.request(ApiKey.FETCH, FETCH_VERSION, i, new FetchRequestData()));
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            while (pauses.get() == 0) {
                Thread.onSpinWait();
            }
            try (Socket other = connect(address)) {
                for (int i = 0; i < 500; i++) { // time enough to serve all, were it not held back
                    heartbeat(other, i);
                }
            }
            // What the kernel takes (some megabytes at most) and the bound for what is unsent.
            assertThat(served.get()).isLessThan(150);
            assertThat(server.requestMemoryUsed()).isLessThan(1 << 20);
            var in = new DataInputStream(greedy.getInputStream());
            for (int i = 0; i < requests; i++) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                assertThat(java.nio.ByteBuffer.wrap(frame).getInt()).isEqualTo(i);
                assertThat(frame.length).isGreaterThan(RESPONSE_BYTES);
            }
            asking.join();
            assertThat(served.get()).isEqualTo(requests);
        }
    }

    @Test
    void closingEndsConnectionsAndListeners() throws IOException {
        InetSocketAddress address = server.bind(new ListenerConfig("ONE", "PLAINTEXT", "127.0.0.1", 0));
        try (Socket socket = connect(address)) {
            heartbeat(socket, 1);
            server.close();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        while (server.connectionCount() > 0) {
            Thread.onSpinWait();
        }
        assertThatThrownBy(() -> connect(address)).isInstanceOf(IOException.class);
    }
}
