package io.moldau.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.broker.delayed.DeadlineWheel;
import io.moldau.broker.delayed.Deadlines;
import io.moldau.broker.request.NodeRequestHandler;
import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.broker.request.RequestRouter;
import io.moldau.testing.MockTime;
import io.moldau.testing.Seeds;
import io.moldau.wire.message.ApiVersionsRequestData;
import io.moldau.wire.message.ApiVersionsResponseData;
import io.moldau.wire.message.HeartbeatRequestData;
import io.moldau.wire.message.HeartbeatResponseData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.BufferRecords;
import io.moldau.wire.protocol.HeapRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConnectionHandlerTest {

    private static final short V4 = 4;

    private final MockTime time = new MockTime();
    private final DeadlineWheel wheel = new DeadlineWheel(time.nanoseconds(), 1_000_000, 64);
    private final List<RequestContext> waiting = new ArrayList<>();
    private final List<String> served = new ArrayList<>();
    private final List<RequestMetrics.Closed> dropped = new ArrayList<>();
    private final List<byte[]> produced = new ArrayList<>();
    private boolean answerAtOnce = true;
    private RequestMemory memory = new RequestMemory(1 << 20);

    private final Deadlines deadlines = new Deadlines() {
        @Override
        public long nowNanos() {
            return time.nanoseconds();
        }

        @Override
        public Deadline after(long delayNanos, Runnable task) {
            return wheel.add(time.nanoseconds() + delayNanos, task);
        }
    };

    private final RequestMetrics metrics = new RequestMetrics() {
        @Override
        public void connectionDropped(String listener, Closed cause) {
            dropped.add(cause);
        }
    };

    private EmbeddedChannel connect(NetworkConfig config) {
        var router = RequestRouter.builder()
                .on(ApiKey.HEARTBEAT, HeartbeatRequestData.class, (context, request) -> {
                    served.add(request.memberId());
                    assertThat(context.clientId()).isEqualTo("tester");
                    if (answerAtOnce) {
                        context.respond(new HeartbeatResponseData());
                    } else {
                        waiting.add(context);
                    }
                })
                .on(ApiKey.API_VERSIONS, ApiVersionsRequestData.class, (context, request) -> {
                    short unsupported = 35;
                    context.respond(
                            new ApiVersionsResponseData().setErrorCode(context.apiVersion() > 5 ? unsupported : 0));
                })
                .on(ApiKey.PRODUCE, ProduceRequestData.class, (context, request) -> {
                    var records = (BufferRecords) java.util.Objects.requireNonNull(
                            request.topicData().get(0).partitionData().get(0).records());
                    byte[] bytes = new byte[records.sizeInBytes()];
                    records.buffer().get(bytes);
                    produced.add(bytes);
                    context.respondNothing();
                })
                .build();
        var receive = new ReceiveAllocator();
        var channel = new EmbeddedChannel();
        channel.config().setRecvByteBufAllocator(receive);
        channel.pipeline()
                .addLast(new ConnectionHandler(
                        new ConnectionHandler.Shared(
                                router,
                                NodeRequestHandler.NONE,
                                metrics,
                                memory,
                                new UnsentMemory(1 << 20),
                                new ConnectionLimits(10, 10, java.util.Map.of()),
                                config,
                                loop -> deadlines),
                        "PLAINTEXT",
                        receive));
        channel.pipeline().fireChannelActive();
        return channel;
    }

    private static byte[] heartbeat(int correlationId, String member) {
        return Frames.request(
                ApiKey.HEARTBEAT,
                V4,
                correlationId,
                new HeartbeatRequestData().setGroupId("g").setMemberId(member));
    }

    private static byte[] join(byte[]... frames) {
        var all = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            all.writeBytes(frame);
        }
        return all.toByteArray();
    }

    private static List<Integer> correlationIds(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        ByteBuf part;
        while ((part = channel.readOutbound()) != null) {
            all.writeBytes(part);
            part.release();
        }
        List<Integer> ids = new ArrayList<>();
        while (all.isReadable()) {
            ids.add(Frames.response(all, ApiKey.HEARTBEAT, V4, new HeartbeatResponseData()));
        }
        return ids;
    }

    @Test
    void answersOfOneBurstLeaveInOnePiece() {
        EmbeddedChannel channel = connect(NetworkConfig.DEFAULTS);
        channel.writeInbound(Unpooled.wrappedBuffer(join(heartbeat(1, "a"), heartbeat(2, "b"), heartbeat(3, "c"))));
        assertThat(channel.outboundMessages()).hasSize(1);
        assertThat(correlationIds(channel)).containsExactly(1, 2, 3);
        assertThat(memory.used()).isZero();
        channel.finishAndReleaseAll();
    }

    @Test
    void aLaterAnswerWaitsForAnEarlierOne() {
        EmbeddedChannel channel = connect(NetworkConfig.DEFAULTS);
        answerAtOnce = false;
        channel.writeInbound(Unpooled.wrappedBuffer(join(heartbeat(1, "a"), heartbeat(2, "b"), heartbeat(3, "c"))));
        assertThat(served).containsExactly("a", "b", "c");
        waiting.get(2).respond(new HeartbeatResponseData());
        waiting.get(1).respond(new HeartbeatResponseData());
        channel.runPendingTasks();
        assertThat(correlationIds(channel)).isEmpty();
        waiting.get(0).respond(new HeartbeatResponseData());
        channel.runPendingTasks();
        assertThat(correlationIds(channel)).containsExactly(1, 2, 3);
        channel.finishAndReleaseAll();
    }

    @Test
    void aRequestIsAnsweredOnce() {
        EmbeddedChannel channel = connect(NetworkConfig.DEFAULTS);
        answerAtOnce = false;
        channel.writeInbound(Unpooled.wrappedBuffer(heartbeat(1, "a")));
        waiting.get(0).respond(new HeartbeatResponseData());
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> waiting.get(0).respondNothing())
                .isInstanceOf(IllegalStateException.class);
        channel.runPendingTasks();
        channel.finishAndReleaseAll();
    }

    /// However the bytes are cut by the network, the same requests come out, and all memory goes back.
    @Seeds(count = 40)
    void framesSurviveAnyCutting(long seed) {
        var random = new Random(seed);
        memory = new RequestMemory(1 << 20);
        EmbeddedChannel channel = connect(NetworkConfig.DEFAULTS);
        var stream = new ByteArrayOutputStream();
        List<byte[]> records = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        int requests = 1 + random.nextInt(20);
        for (int i = 0; i < requests; i++) {
            if (random.nextBoolean()) {
                stream.writeBytes(heartbeat(i, "member-" + i));
                expected.add(i);
            } else {
                byte[] bytes = new byte[random.nextInt(random.nextBoolean() ? 200 : 20_000)];
                random.nextBytes(bytes);
                records.add(bytes);
                stream.writeBytes(produce(i, bytes));
            }
        }
        byte[] all = stream.toByteArray();
        int at = 0;
        while (at < all.length) {
            int size = Math.min(all.length - at, 1 + random.nextInt(random.nextBoolean() ? 8 : 9_000));
            channel.writeInbound(Unpooled.copiedBuffer(all, at, size));
            at += size;
        }
        assertThat(correlationIds(channel)).isEqualTo(expected);
        assertThat(produced).hasSameSizeAs(records);
        for (int i = 0; i < records.size(); i++) {
            assertThat(produced.get(i)).isEqualTo(records.get(i));
        }
        assertThat(memory.used()).isZero();
        channel.finishAndReleaseAll();
    }

    private static byte[] produce(int correlationId, byte[] records) {
        var partition = new ProduceRequestData.PartitionProduceData().setRecords(HeapRecords.of(records));
        var topic = new ProduceRequestData.TopicProduceData().setName("t").setPartitionData(List.of(partition));
        return Frames.request(
                ApiKey.PRODUCE, (short) 9, correlationId, new ProduceRequestData().setTopicData(List.of(topic)));
    }

    @Test
    void readingStopsAtTheBoundOfOpenRequestsAndLosesNothing() {
        var few = new NetworkConfig(0, 10, 10, java.util.Map.of(), 0, 1000, 1 << 20, 2, 1 << 20, -1, -1, 50);
        EmbeddedChannel channel = connect(few);
        answerAtOnce = false;
        byte[] all = new byte[0];
        for (int i = 0; i < 6; i++) {
            all = join(all, heartbeat(i, "m" + i));
        }
        channel.writeInbound(Unpooled.copiedBuffer(all, 0, 150));
        assertThat(channel.config().isAutoRead()).isFalse();
        // A read that was under way when reading stopped still delivers.
        channel.writeInbound(Unpooled.copiedBuffer(all, 150, all.length - 150));
        assertThat(served).containsExactly("m0", "m1");

        for (int i = 0; i < 6; i++) {
            waiting.get(i).respond(new HeartbeatResponseData());
            channel.runPendingTasks();
        }
        assertThat(correlationIds(channel)).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(memory.used()).isZero();
        channel.finishAndReleaseAll();
    }

    @Test
    void readingStopsWhenTheNodesRequestMemoryIsUsedUp() {
        memory = new RequestMemory(100);
        EmbeddedChannel first = connect(NetworkConfig.DEFAULTS);
        EmbeddedChannel second = connect(NetworkConfig.DEFAULTS);
        answerAtOnce = false;
        first.writeInbound(Unpooled.wrappedBuffer(join(heartbeat(1, "a"), heartbeat(2, "b"))));
        second.writeInbound(Unpooled.wrappedBuffer(join(heartbeat(3, "c"), heartbeat(4, "d"))));
        int taken = served.size();
        assertThat(taken).isBetween(1, 3);
        assertThat(memory.used()).isLessThanOrEqualTo(100);
        assertThat(second.config().isAutoRead()).isFalse();

        for (int i = 0; i < 4; i++) {
            waiting.get(i).respond(new HeartbeatResponseData());
            first.runPendingTasks();
            second.runPendingTasks();
        }
        assertThat(served).containsExactlyInAnyOrder("a", "b", "c", "d");
        assertThat(correlationIds(first)).containsExactly(1, 2);
        assertThat(correlationIds(second)).containsExactly(3, 4);
        assertThat(memory.used()).isZero();
        first.finishAndReleaseAll();
        second.finishAndReleaseAll();
    }

    @Test
    void whoBeginsAFrameAndStopsGivesWayToOthers() {
        memory = new RequestMemory(5000);
        EmbeddedChannel slow = connect(NetworkConfig.DEFAULTS);
        EmbeddedChannel other = connect(NetworkConfig.DEFAULTS);
        slow.writeInbound(Unpooled.wrappedBuffer(
                ByteBuffer.allocate(10).putInt(4900).flip().limit(10)));
        time.advance(Duration.ofSeconds(11));
        wheel.advanceTo(time.nanoseconds());
        assertThat(slow.isOpen()).as("nobody is in need of the memory").isTrue();

        byte[] large = produce(1, new byte[3000]);
        other.writeInbound(Unpooled.copiedBuffer(large, 0, 2000));
        other.writeInbound(Unpooled.copiedBuffer(large, 2000, large.length - 2000));
        assertThat(produced).isEmpty();
        time.advance(Duration.ofSeconds(21));
        wheel.advanceTo(time.nanoseconds());
        assertThat(slow.isOpen()).isFalse();
        assertThat(dropped).containsExactly(RequestMetrics.Closed.STALLED);
        other.runPendingTasks();
        assertThat(produced).hasSize(1);
        assertThat(memory.used()).isZero();
        slow.finishAndReleaseAll();
        other.finishAndReleaseAll();
    }

    private void assertDropped(byte[] bytes, RequestMetrics.Closed cause) {
        dropped.clear();
        EmbeddedChannel bad = connect(NetworkConfig.DEFAULTS);
        EmbeddedChannel good = connect(NetworkConfig.DEFAULTS);
        bad.writeInbound(Unpooled.wrappedBuffer(bytes));
        assertThat(bad.isOpen()).isFalse();
        assertThat(correlationIds(bad)).isEmpty();
        assertThat(dropped).containsExactly(cause);
        assertThat(memory.used()).isZero();

        answerAtOnce = true;
        good.writeInbound(Unpooled.wrappedBuffer(heartbeat(9, "fine")));
        assertThat(correlationIds(good)).containsExactly(9);
        bad.finishAndReleaseAll();
        good.finishAndReleaseAll();
    }

    @Test
    void aBrokenFrameClosesItsOwnConnectionOnly() {
        assertDropped(new byte[] {-1, -1, -1, -1}, RequestMetrics.Closed.BAD_FRAME);
        assertDropped(new byte[] {0x7F, -1, -1, -1}, RequestMetrics.Closed.BAD_FRAME);
        assertDropped(new byte[] {0, 0, 0, 0}, RequestMetrics.Closed.BAD_FRAME);
        assertDropped(
                "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                RequestMetrics.Closed.BAD_FRAME);
    }

    @Test
    void whatCameBeforeABrokenFrameIsAnswered() {
        EmbeddedChannel channel = connect(NetworkConfig.DEFAULTS);
        answerAtOnce = false;
        byte[] bad = {-1, -1, -1, -1};
        channel.writeInbound(Unpooled.wrappedBuffer(join(heartbeat(1, "a"), heartbeat(2, "b"), bad)));
        waiting.get(1).respond(new HeartbeatResponseData());
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();
        channel.writeInbound(Unpooled.wrappedBuffer(heartbeat(3, "c")));
        waiting.get(0).respond(new HeartbeatResponseData());
        channel.runPendingTasks();
        assertThat(correlationIds(channel)).containsExactly(1, 2);
        assertThat(channel.isOpen()).isFalse();
        assertThat(served).containsExactly("a", "b");
        assertThat(memory.used()).isZero();
        channel.finishAndReleaseAll();
    }

    @Test
    void anUnknownApiOrVersionOrAnUnreadableBodyCloses() {
        byte[] unknownApi = heartbeat(1, "a");
        ByteBuffer.wrap(unknownApi).putShort(4, (short) 9999);
        assertDropped(unknownApi, RequestMetrics.Closed.BAD_REQUEST);

        byte[] unregistered = heartbeat(1, "a");
        ByteBuffer.wrap(unregistered).putShort(4, ApiKey.FETCH.id());
        assertDropped(unregistered, RequestMetrics.Closed.BAD_REQUEST);

        byte[] unknownVersion = heartbeat(1, "a");
        ByteBuffer.wrap(unknownVersion).putShort(6, (short) 99);
        assertDropped(unknownVersion, RequestMetrics.Closed.BAD_REQUEST);

        byte[] endsEarly = Arrays.copyOf(heartbeat(1, "a"), heartbeat(1, "a").length - 5);
        ByteBuffer.wrap(endsEarly).putInt(0, endsEarly.length - 4);
        assertDropped(endsEarly, RequestMetrics.Closed.BAD_REQUEST);
    }

    @Test
    void apiVersionsInAnUnknownVersionIsAnsweredInVersionZero() {
        EmbeddedChannel channel = connect(NetworkConfig.DEFAULTS);
        byte[] request = Frames.request(ApiKey.API_VERSIONS, (short) 0, 5, new ApiVersionsRequestData());
        ByteBuffer.wrap(request).putShort(6, (short) 77);
        // The header of such a version is flexible: one byte for no tagged fields.
        byte[] flexible = Arrays.copyOf(request, request.length + 1);
        ByteBuffer.wrap(flexible).putInt(0, flexible.length - 4);
        channel.writeInbound(Unpooled.wrappedBuffer(flexible));
        ByteBuf out = channel.readOutbound();
        var response = new ApiVersionsResponseData();
        assertThat(Frames.response(out, ApiKey.API_VERSIONS, (short) 0, response))
                .isEqualTo(5);
        assertThat(response.errorCode()).isEqualTo((short) 35);
        out.release();
        channel.finishAndReleaseAll();
    }

    @Test
    void anIdleConnectionIsClosedAndOneThatWaitsIsNot() {
        var idle = new NetworkConfig(0, 10, 10, java.util.Map.of(), 1000, 1000, 1 << 20, 10, 1 << 20, -1, -1, 50);
        EmbeddedChannel quiet = connect(idle);
        EmbeddedChannel polling = connect(idle);
        answerAtOnce = false;
        polling.writeInbound(Unpooled.wrappedBuffer(heartbeat(1, "a")));
        time.advance(Duration.ofMillis(600));
        wheel.advanceTo(time.nanoseconds());
        assertThat(quiet.isOpen()).isTrue();
        time.advance(Duration.ofMillis(500));
        wheel.advanceTo(time.nanoseconds());
        assertThat(quiet.isOpen()).isFalse();
        assertThat(polling.isOpen()).isTrue();
        assertThat(dropped).containsExactly(RequestMetrics.Closed.IDLE);
        polling.finishAndReleaseAll();
        quiet.finishAndReleaseAll();
    }

    @Test
    void whoWaitsForADeadConnectionIsTold() {
        EmbeddedChannel channel = connect(NetworkConfig.DEFAULTS);
        answerAtOnce = false;
        channel.writeInbound(Unpooled.wrappedBuffer(heartbeat(1, "a")));
        List<String> told = new ArrayList<>();
        waiting.get(0).whenDisconnected(() -> told.add("gone"));
        channel.close();
        assertThat(told).containsExactly("gone");
        waiting.get(0).respond(new HeartbeatResponseData()); // comes too late and is dropped
        assertThat(memory.used()).isZero();
        channel.finishAndReleaseAll();
    }

    @Test
    void drainingAnswersWhatIsOpenAndServesNoMore() {
        EmbeddedChannel channel = connect(NetworkConfig.DEFAULTS);
        answerAtOnce = false;
        channel.writeInbound(Unpooled.wrappedBuffer(join(heartbeat(1, "a"), heartbeat(2, "b"))));
        waiting.get(0).whenDisconnected(() -> waiting.get(0).respond(new HeartbeatResponseData()));
        channel.pipeline().get(ConnectionHandler.class).drain();
        channel.writeInbound(Unpooled.wrappedBuffer(heartbeat(3, "c")));
        channel.runPendingTasks();
        assertThat(served).containsExactly("a", "b");
        assertThat(correlationIds(channel)).containsExactly(1);
        assertThat(channel.isOpen()).isTrue();
        waiting.get(1).respond(new HeartbeatResponseData());
        channel.runPendingTasks();
        assertThat(correlationIds(channel)).containsExactly(2);
        assertThat(channel.isOpen()).isFalse();
        channel.finishAndReleaseAll();
    }

    @Test
    void aHandlersDisconnectComesAfterTheAnswersBeforeIt() {
        EmbeddedChannel channel = connect(NetworkConfig.DEFAULTS);
        answerAtOnce = false;
        channel.writeInbound(Unpooled.wrappedBuffer(join(heartbeat(1, "a"), heartbeat(2, "b"))));
        waiting.get(1).disconnect("told so");
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();
        waiting.get(0).respond(new HeartbeatResponseData());
        channel.runPendingTasks();
        assertThat(correlationIds(channel)).containsExactly(1);
        assertThat(channel.isOpen()).isFalse();
        channel.finishAndReleaseAll();
    }
}
