package io.moldau.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.peer.PeerClient;
import io.moldau.broker.peer.PeerResponse;
import io.moldau.broker.peer.Reachability;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.broker.request.RequestRouter;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.time.SystemTime;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.FetchResponseData;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.netty.ByteBufRecords;
import io.moldau.wire.protocol.ApiKey;
import io.netty.buffer.ByteBuf;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Requests over real sockets, to our own server and to peers that misbehave.
class NettyPeerClientTest {

    private static final short OWN_KEY = 20_004;
    private static final short HEARTBEAT_VERSION = 4;
    private static final short FETCH_VERSION = 17;

    private final EventLoops loops = new EventLoops(2, new SystemTime());
    private final List<AutoCloseable> closings = new ArrayList<>();

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable closing : closings.reversed()) {
            closing.close();
        }
        loops.close();
    }

    private NettyPeers peers(PeerLimits limits) {
        return new NettyPeers(loops, Runnable::run, "test", limits);
    }

    private PeerClient client(int port) {
        PeerClient client = peers(PeerLimits.DEFAULTS).connect("127.0.0.1", port, "test");
        closings.add(client);
        return client;
    }

    /// What a peer does with one connection.
    private interface Peer {
        void serve(DataInputStream in, DataOutputStream out) throws IOException, InterruptedException;
    }

    /// Listens, and gives each connection to the next of the peers; the last one gets all that are left.
    private int listen(Peer... peers) throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        closings.add(listener);
        Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; ; i++) {
                Peer peer = peers[Math.min(i, peers.length - 1)];
                try {
                    Socket socket = listener.accept();
                    closings.add(socket);
                    Thread.ofPlatform().daemon().start(() -> {
                        try (socket) {
                            peer.serve(
                                    new DataInputStream(socket.getInputStream()),
                                    new DataOutputStream(socket.getOutputStream()));
                        } catch (IOException | InterruptedException e) {
                            // The client went away: for some peers that is the end of the test.
                            Thread.currentThread().interrupt();
                        }
                    });
                } catch (IOException e) {
                    return;
                }
            }
        });
        return listener.getLocalPort();
    }

    /// Reads a request of ours and returns its correlation id; the body is appended.
    private static int read(DataInputStream in, List<byte[]> bodies) throws IOException {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        ByteBuffer bytes = ByteBuffer.wrap(frame);
        assertThat(bytes.getShort()).isEqualTo(OWN_KEY);
        assertThat(bytes.getShort()).isZero();
        int correlationId = bytes.getInt();
        byte[] clientId = new byte[bytes.getShort()];
        bytes.get(clientId);
        assertThat(new String(clientId, StandardCharsets.UTF_8)).isEqualTo("test-test");
        assertThat(bytes.get()).isZero();
        byte[] body = new byte[bytes.remaining()];
        bytes.get(body);
        bodies.add(body);
        return correlationId;
    }

    private static byte[] answer(int correlationId, int error, byte[] body) {
        return ByteBuffer.allocate(4 + 4 + 1 + 2 + body.length)
                .putInt(4 + 1 + 2 + body.length)
                .putInt(correlationId)
                .put((byte) 0)
                .putShort((short) error)
                .put(body)
                .array();
    }

    private static void echo(DataInputStream in, DataOutputStream out) throws IOException {
        while (true) {
            List<byte[]> bodies = new ArrayList<>();
            int correlationId = read(in, bodies);
            out.write(answer(correlationId, 0, bodies.getFirst()));
        }
    }

    private static void silent(DataInputStream in, DataOutputStream out) throws IOException {
        in.transferTo(java.io.OutputStream.nullOutputStream());
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes).toString();
    }

    private static Errors errorOf(CompletableFuture<?> future) throws Exception {
        try {
            future.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(ApiException.class);
            return ((ApiException) e.getCause()).error();
        }
        throw new AssertionError("it did not fail");
    }

    @Test
    void manyRequestsAreAnsweredInTheirOrder() throws Exception {
        PeerClient client = client(listen(NettyPeerClientTest::echo));
        List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            int number = i;
            answers.add(client.call(OWN_KEY, bytes("request " + i), 20_000));
            answers.getLast().thenRun(() -> order.add(number));
        }
        for (int i = 0; i < 500; i++) {
            assertThat(text(answers.get(i).get(20, TimeUnit.SECONDS))).isEqualTo("request " + i);
        }
        assertThat(order).isSorted().hasSize(500);
    }

    @Test
    void kafkaRequestsReachOurServerAndRecordsAreSlicesUntilClosed() throws Exception {
        byte[] records = new byte[300_000];
        for (int i = 0; i < records.length; i++) {
            records[i] = (byte) (i * 31);
        }
        RequestRouter router = RequestRouter.builder()
                .on(ApiKey.HEARTBEAT, HeartbeatRequestData.class, (context, request) -> {
                    assertThat(context.clientId()).isEqualTo("test-test");
                    context.respond(new HeartbeatResponseData().setErrorCode(Errors.UNKNOWN_MEMBER_ID.code()));
                })
                .on(ApiKey.FETCH, FetchRequestData.class, (context, request) -> {
                    var partition = new FetchResponseData.PartitionData()
                            .setRecords(new ByteBufRecords(loops.allocator()
                                    .directBuffer(records.length)
                                    .writeBytes(records)));
                    var topic = new FetchResponseData.FetchableTopicResponse();
                    topic.partitions().add(partition);
                    var response = new FetchResponseData();
                    response.responses().add(topic);
                    context.respond(response);
                })
                .build();
        var server = new NettyServer(NetworkConfig.DEFAULTS, loops, router, RequestMetrics.NONE);
        closings.add(server);
        PeerClient client = client(server.bind(new ListenerConfig("ONE", "PLAINTEXT", "127.0.0.1", 0))
                .getPort());
        CompletableFuture<PeerResponse> first = client.send(HEARTBEAT_VERSION, new HeartbeatRequestData(), 20_000);
        CompletableFuture<PeerResponse> second = client.send(FETCH_VERSION, new FetchRequestData(), 20_000);
        try (PeerResponse heartbeat = first.get(20, TimeUnit.SECONDS)) {
            assertThat(heartbeat.as(HeartbeatResponseData.class).errorCode())
                    .isEqualTo(Errors.UNKNOWN_MEMBER_ID.code());
        }
        PeerResponse fetched = second.get(20, TimeUnit.SECONDS);
        var received = (ByteBufRecords) fetched.as(FetchResponseData.class)
                .responses()
                .getFirst()
                .partitions()
                .getFirst()
                .records();
        assertThat(received).isNotNull();
        ByteBuf memory = received.byteBuf();
        assertThat(received.buffer()).isEqualTo(ByteBuffer.wrap(records));
        assertThat(fetched.sizeInBytes()).isGreaterThan(records.length);
        fetched.close();
        fetched.close();
        // The event loop gives its own share back after it has handed the answer over.
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (memory.refCnt() > 0 && System.nanoTime() - giveUp < 0) {
            Thread.onSpinWait();
        }
        assertThat(memory.refCnt()).isZero();
    }

    @Test
    void anErrorOfTheOtherNodeIsPassedOn() throws Exception {
        PeerClient client = client(listen((in, out) -> {
            int correlationId = read(in, new ArrayList<>());
            out.write(
                    answer(correlationId, Errors.NOT_CONTROLLER.code(), "ask node 3".getBytes(StandardCharsets.UTF_8)));
            echo(in, out);
        }));
        assertThatThrownBy(() -> client.call(OWN_KEY, bytes("?"), 20_000).get(20, TimeUnit.SECONDS))
                .hasRootCauseMessage("ask node 3");
        // The connection is as good as before.
        assertThat(text(client.call(OWN_KEY, bytes("again"), 20_000).get(20, TimeUnit.SECONDS)))
                .isEqualTo("again");
    }

    @Test
    void anAnswerMayComeByteByByteOrManyInOnePiece() throws Exception {
        PeerClient client = client(listen((in, out) -> {
            List<byte[]> bodies = new ArrayList<>();
            int first = read(in, bodies);
            for (byte next : answer(first, 0, bodies.getFirst())) {
                out.write(next);
                out.flush();
            }
            int second = read(in, bodies);
            int third = read(in, bodies);
            byte[] two = answer(second, 0, bodies.get(1));
            byte[] three = answer(third, 0, bodies.get(2));
            out.write(ByteBuffer.allocate(two.length + three.length)
                    .put(two)
                    .put(three)
                    .array());
            in.read();
        }));
        assertThat(text(client.call(OWN_KEY, bytes("drop by drop"), 20_000).get(20, TimeUnit.SECONDS)))
                .isEqualTo("drop by drop");
        CompletableFuture<ByteBuffer> second = client.call(OWN_KEY, bytes("two"), 20_000);
        CompletableFuture<ByteBuffer> third = client.call(OWN_KEY, bytes("three"), 20_000);
        assertThat(text(second.get(20, TimeUnit.SECONDS))).isEqualTo("two");
        assertThat(text(third.get(20, TimeUnit.SECONDS))).isEqualTo("three");
    }

    @Test
    void aFrameThatIsCutFailsAllAndTheNextRequestConnectsAnew() throws Exception {
        PeerClient client = client(listen(
                (in, out) -> {
                    int correlationId = read(in, new ArrayList<>());
                    read(in, new ArrayList<>());
                    out.write(answer(correlationId, 0, new byte[1000]), 0, 500);
                },
                NettyPeerClientTest::echo));
        CompletableFuture<ByteBuffer> cut = client.call(OWN_KEY, bytes("one"), 20_000);
        CompletableFuture<ByteBuffer> behind = client.call(OWN_KEY, bytes("two"), 20_000);
        assertThat(errorOf(cut)).isEqualTo(Errors.NETWORK_EXCEPTION);
        assertThat(errorOf(behind)).isEqualTo(Errors.NETWORK_EXCEPTION);
        assertThat(text(client.call(OWN_KEY, bytes("three"), 20_000).get(20, TimeUnit.SECONDS)))
                .isEqualTo("three");
    }

    @Test
    void whatIsNotAnsweredInTimeTakesTheConnectionWithIt() throws Exception {
        PeerClient client = client(listen(NettyPeerClientTest::silent, NettyPeerClientTest::echo));
        CompletableFuture<ByteBuffer> late = client.call(OWN_KEY, bytes("one"), 50);
        CompletableFuture<ByteBuffer> behind = client.call(OWN_KEY, bytes("two"), 60_000);
        // Sent by the one that hears of the failure, on the event loop: belongs to the next connection.
        CompletableFuture<ByteBuffer> again = behind.handle(
                        (answer, failure) -> client.call(OWN_KEY, bytes("three"), 20_000))
                .thenCompose(next -> next);
        assertThat(errorOf(late)).isEqualTo(Errors.REQUEST_TIMED_OUT);
        assertThat(errorOf(behind)).isEqualTo(Errors.NETWORK_EXCEPTION);
        assertThat(text(again.get(20, TimeUnit.SECONDS))).isEqualTo("three");
    }

    @Test
    void closingFailsWhatIsOpenAndWhatComesLater() throws Exception {
        CountDownLatch received = new CountDownLatch(1);
        PeerClient client = client(listen((in, out) -> {
            read(in, new ArrayList<>());
            received.countDown();
            silent(in, out);
        }));
        CompletableFuture<ByteBuffer> open = client.call(OWN_KEY, bytes("one"), 60_000);
        received.await();
        client.close();
        assertThat(errorOf(open)).isEqualTo(Errors.NETWORK_EXCEPTION);
        assertThat(errorOf(client.call(OWN_KEY, bytes("two"), 60_000))).isEqualTo(Errors.NETWORK_EXCEPTION);
    }

    @Test
    void refusedConnectionsFailAtOnceAndProbesTellThemApart() throws Exception {
        int nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            nobody = socket.getLocalPort();
        }
        PeerClient client = client(nobody);
        assertThat(errorOf(client.call(OWN_KEY, bytes("one"), 60_000))).isEqualTo(Errors.NETWORK_EXCEPTION);
        assertThat(errorOf(client.call(OWN_KEY, bytes("two"), 60_000))).isEqualTo(Errors.NETWORK_EXCEPTION);
        NettyPeers peers = peers(PeerLimits.DEFAULTS);
        assertThat(peers.probe("127.0.0.1", nobody, 20_000).get()).isEqualTo(Reachability.REFUSED);
        int somebody = listen(NettyPeerClientTest::silent);
        assertThat(peers.probe("127.0.0.1", somebody, 20_000).get()).isEqualTo(Reachability.ACCEPTS);
        assertThat(peers.probe("no-such-host.invalid", 1, 20_000).get()).isEqualTo(Reachability.UNKNOWN);
        PeerClient lost = peers.connect("no-such-host.invalid", 1, "test");
        closings.add(lost);
        assertThat(errorOf(lost.call(OWN_KEY, bytes("one"), 60_000))).isEqualTo(Errors.NETWORK_EXCEPTION);
    }

    /// A killed node behind a proxy, which accepts in its place: without this its session has to
    /// end, 9 s, before the in-sync replicas can go on without it.
    @Test
    void aProxyThatReachesNobodyCountsAsRefused() throws Exception {
        NettyPeers peers = peers(PeerLimits.DEFAULTS);
        int proxy = listen((in, out) -> {});
        assertThat(peers.probe("127.0.0.1", proxy, 20_000).get()).isEqualTo(Reachability.REFUSED);
        int recovers = listen((in, out) -> {}, (in, out) -> {}, NettyPeerClientTest::silent);
        assertThat(peers.probe("127.0.0.1", recovers, 20_000).get()).isEqualTo(Reachability.ACCEPTS);
    }

    @Test
    void aPeerThatAnswersNonsenseIsLeft() throws Exception {
        PeerClient client = client(listen(
                (in, out) -> {
                    out.write(answer(read(in, new ArrayList<>()) + 1, 0, new byte[1]));
                    silent(in, out);
                },
                (in, out) -> {
                    read(in, new ArrayList<>());
                    out.writeInt(Integer.MAX_VALUE);
                    silent(in, out);
                },
                (in, out) -> {
                    read(in, new ArrayList<>());
                    out.writeInt(-1);
                    silent(in, out);
                },
                (in, out) -> {
                    int correlationId = read(in, new ArrayList<>());
                    out.writeInt(4); // no room for an error code
                    out.writeInt(correlationId);
                    silent(in, out);
                },
                NettyPeerClientTest::echo));
        for (int i = 0; i < 4; i++) {
            assertThat(errorOf(client.call(OWN_KEY, bytes("x"), 60_000))).isEqualTo(Errors.NETWORK_EXCEPTION);
        }
        assertThat(text(client.call(OWN_KEY, bytes("sense"), 20_000).get(20, TimeUnit.SECONDS)))
                .isEqualTo("sense");
    }

    @Test
    void openRequestsAreBounded() throws Exception {
        NettyPeers peers = peers(new PeerLimits(2, 1000, 2000));
        PeerClient client = peers.connect("127.0.0.1", listen(NettyPeerClientTest::silent), "test");
        CompletableFuture<ByteBuffer> first = client.call(OWN_KEY, bytes("1"), 60_000);
        CompletableFuture<ByteBuffer> second = client.call(OWN_KEY, bytes("2"), 60_000);
        assertThat(errorOf(client.call(OWN_KEY, bytes("3"), 60_000))).isEqualTo(Errors.NETWORK_EXCEPTION);
        assertThat(first).isNotDone();
        client.close();
        assertThat(errorOf(first)).isEqualTo(Errors.NETWORK_EXCEPTION);
        assertThat(errorOf(second)).isEqualTo(Errors.NETWORK_EXCEPTION);
    }

    /// The node stops while a name is looked up: whoever waits is told, and nothing is begun on a loop that has ended.
    @Test
    void whoLooksOrAsksWhileTheNodeStopsIsTold() throws Exception {
        EventLoops ending = new EventLoops(1, new SystemTime());
        NettyPeers peers = new NettyPeers(
                ending,
                lookup -> {
                    ending.close();
                    lookup.run();
                },
                "test",
                PeerLimits.DEFAULTS);
        assertThat(peers.probe("localhost", 1, 20_000).get(10, TimeUnit.SECONDS))
                .isEqualTo(Reachability.UNKNOWN);
        try (PeerClient client = peers.connect("localhost", 1, "test")) {
            assertThatThrownBy(() ->
                            client.call(OWN_KEY, ByteBuffer.allocate(0), 20_000).get(10, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ApiException.class);
        }
    }
}
