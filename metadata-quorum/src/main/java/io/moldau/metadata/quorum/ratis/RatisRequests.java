package io.moldau.metadata.quorum.ratis;

import io.moldau.metadata.quorum.transport.RaftMessage;
import io.moldau.metadata.quorum.transport.RaftRequests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/// Hands what other voters say to the Ratis server of this process.
///
/// Ratis takes its server's lock for each message and writes term and vote to the disk under it, so no message is
/// handled on the network's thread. Entries have a thread of their own, which takes them in the order in which they
/// came: Ratis refuses to append while another thread does, and entries that overtake others are refused too. The
/// few threads end when nothing comes.
final class RatisRequests implements RaftRequests, AutoCloseable {

    private static final int THREADS = 4;
    private static final int WAITING = 64;

    private final Supplier<@Nullable RaftServer> server;
    private final Map<RaftMessage, RaftRequests> own;
    private final ExecutorService messages;
    private final ExecutorService entries;
    private final ExecutorService snapshots;

    /// @param own kinds of messages that are not Ratis', with who handles them
    RatisRequests(String name, Supplier<@Nullable RaftServer> server, Map<RaftMessage, RaftRequests> own) {
        this.server = server;
        this.own = own;
        this.messages = pool(name + "-messages", THREADS, WAITING);
        this.entries = pool(name + "-entries", 1, WAITING);
        this.snapshots = pool(name + "-snapshots", 1, 4);
    }

    private static ExecutorService pool(String name, int threads, int waiting) {
        var pool = new ThreadPoolExecutor(
                threads, threads, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(waiting), task -> {
                    var thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    @Override
    public CompletableFuture<ByteBuffer> handle(RaftMessage kind, ByteBuffer request) {
        RaftRequests handler = own.get(kind);
        if (handler != null) {
            return handler.handle(kind, request);
        }
        RaftServer current = server.get();
        if (current == null) {
            return refused("this controller is no voter");
        }
        var answer = new CompletableFuture<ByteBuffer>();
        try {
            threadOf(kind).execute(() -> answer(current, kind, request, answer));
        } catch (RejectedExecutionException e) {
            return refused("this voter has too many messages waiting, or is closing");
        }
        return answer;
    }

    private ExecutorService threadOf(RaftMessage kind) {
        return switch (kind) {
            case APPEND -> entries;
            case SNAPSHOT -> snapshots;
            default -> messages;
        };
    }

    private static CompletableFuture<ByteBuffer> refused(String why) {
        return CompletableFuture.completedFuture(RaftBytes.error(new IOException(why)));
    }

    private static void answer(
            RaftServer server, RaftMessage kind, ByteBuffer request, CompletableFuture<ByteBuffer> answer) {
        try {
            ask(server, kind, request)
                    .whenComplete(
                            (bytes, failure) -> answer.complete(failure == null ? bytes : RaftBytes.error(failure)));
        } catch (IOException | RuntimeException e) {
            answer.complete(RaftBytes.error(e));
        }
    }

    private static CompletableFuture<ByteBuffer> ask(RaftServer server, RaftMessage kind, ByteBuffer request)
            throws IOException {
        return switch (kind) {
            case APPEND, HEARTBEAT ->
                server.appendEntriesAsync(RaftBytes.parse(AppendEntriesRequestProto.parser(), request))
                        .thenApply(RaftBytes::answer);
            case VOTE ->
                now(RaftBytes.answer(server.requestVote(RaftBytes.parse(RequestVoteRequestProto.parser(), request))));
            case SNAPSHOT ->
                now(RaftBytes.answer(
                        server.installSnapshot(RaftBytes.parse(InstallSnapshotRequestProto.parser(), request))));
            case START_ELECTION ->
                now(RaftBytes.answer(server.startLeaderElection(
                        RaftBytes.parse(StartLeaderElectionRequestProto.parser(), request))));
            case WATCH, LEADER_GONE, PREPARE_TO_JOIN -> throw new IOException(kind + " is not handled here");
        };
    }

    private static CompletableFuture<ByteBuffer> now(ByteBuffer answer) {
        return CompletableFuture.completedFuture(answer);
    }

    @Override
    public void close() {
        // Without an interrupt, which would close the file that somebody writes.
        messages.shutdown();
        entries.shutdown();
        snapshots.shutdown();
    }
}
