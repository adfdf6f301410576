package io.moldau.broker.controller;

import io.moldau.broker.peer.PeerClients;
import io.moldau.common.Uuid;
import io.moldau.common.time.Time;
import io.moldau.common.time.Timer;
import io.moldau.metadata.message.ClusterIdentityResponse;
import io.moldau.metadata.record.MetadataRecords;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds out which cluster a node without a past belongs to, by asking controllers, again and again until one knows or
/// enough of them have said that they do not. Any thread.
public final class ClusterFinder implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ClusterFinder.class);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int ROUNDS_PER_LOG_LINE = 100;

    private final int nodeId;
    private final List<RemoteController> others;
    private final int enough;
    private final Time time;
    private final Timer timer;
    private final CompletableFuture<Optional<Uuid>> found = new CompletableFuture<>();
    private int rounds;
    private volatile boolean closed;

    /// @param enough so many others that know no cluster are proof that there is none; more than there are: keep asking
    public ClusterFinder(
            int nodeId, List<ControllerAddress> others, int enough, PeerClients peers, Time time, Timer timer) {
        this.nodeId = nodeId;
        this.others = others.stream()
                .map(address -> new RemoteController(address, peers, time))
                .toList();
        this.enough = enough;
        this.time = time;
        this.timer = timer;
    }

    /// The id of a cluster that nobody gave one to: the same at each of its first voters, and at no other cluster
    /// unless
    /// that has voters of the same numbers at the same addresses.
    public static Uuid idOf(List<ControllerAddress> voters) {
        String text = voters.stream()
                .sorted(Comparator.comparingInt(ControllerAddress::id))
                .map(voter -> voter.id() + "@" + voter.hostAndPort())
                .collect(Collectors.joining(","));
        try {
            ByteBuffer digest = ByteBuffer.wrap(MessageDigest.getInstance("SHA-256")
                    .digest(("cluster of " + text).getBytes(StandardCharsets.UTF_8)));
            return new Uuid(digest.getLong(), digest.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /// Begins to ask. Completes with the cluster's id, or with nothing when enough others know none. Fails with
    /// [IllegalStateException] when two controllers name different clusters.
    public CompletableFuture<Optional<Uuid>> find() {
        ask();
        return found;
    }

    private record Answer(ControllerAddress from, @Nullable ClusterIdentityResponse response) {}

    private void ask() {
        if (closed) {
            return;
        }
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (RemoteController other : others) {
            answers.add(other.identity(nodeId)
                    .<Answer>handle((response, failure) -> new Answer(other.address(), response)));
        }
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenRun(() ->
                        judge(answers.stream().map(CompletableFuture::join).toList()));
    }

    private void judge(List<Answer> answers) {
        @Nullable Uuid id = null;
        @Nullable ControllerAddress from = null;
        int unknowing = 0;
        for (Answer answer : answers) {
            ClusterIdentityResponse response = answer.response();
            if (response == null) {
                continue;
            }
            if (!response.hasClusterId()) {
                unknowing++;
                continue;
            }
            Uuid named = MetadataRecords.uuid(response.getClusterId());
            if (id != null && from != null && !id.equals(named)) {
                found.completeExceptionally(new IllegalStateException("The controller at " + from.hostAndPort()
                        + " belongs to cluster " + id + ", the one at "
                        + answer.from().hostAndPort() + " to cluster " + named
                        + ". Name the controllers of one cluster only."));
                return;
            }
            id = named;
            from = answer.from();
        }
        if (id != null) {
            found.complete(Optional.of(id));
        } else if (unknowing >= enough) {
            found.complete(Optional.empty());
        } else {
            if (rounds++ % ROUNDS_PER_LOG_LINE == 0) {
                LOG.info(
                        "asking the controllers which cluster this is node={} controllers={} answering={}",
                        nodeId,
                        others.stream()
                                .map(other -> other.address().hostAndPort())
                                .toList(),
                        unknowing);
            }
            timer.schedule(time.nanoseconds() + PAUSE_NANOS, this::ask);
        }
    }

    @Override
    public void close() {
        closed = true;
        others.forEach(RemoteController::close);
    }
}
