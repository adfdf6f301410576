package io.moldau.metadata.quorum.ratis;

import io.moldau.metadata.quorum.transport.RaftMessage;
import io.moldau.metadata.quorum.transport.RaftTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notices the end of the leader's process by its broken connection, so that a successor is elected at once instead of
/// after an election timeout.
///
/// Each follower keeps a request open at the leader. When the connection breaks and the leader's machine refuses a new
/// one, the process is gone, and with it the leadership. Raft would wait all the same, since pre-votes are refused as
/// long as the last heartbeat is fresh. So this asks the other voters for what a pre-vote asks for: whether a majority
/// has found the same (each tries the leader's address itself) and whether none of them has the better log. Only then
/// the election starts, without a pre-vote. Should everybody have been wrong, the cost is one change of leader; who may
/// win is for Raft's votes to say, as always.
///
/// A leader that hangs, or whose machine is gone, leaves no trace of this kind: there the election timeout decides.
///
/// Works on the quorum's maintenance thread; the `on` methods and the handler are called by any thread.
final class LeaderWatch {

    private static final Logger LOG = LoggerFactory.getLogger(LeaderWatch.class);

    private static final long HOLD_MS = 10_000;
    private static final long REQUEST_TIMEOUT_MS = 2 * HOLD_MS;
    private static final long PROBE_TIMEOUT_MS = 300;
    private static final long AGREEMENT_TIMEOUT_MS = 500;
    private static final long RETRY_MS = 250;
    /// An answer that takes longer is not waited for when a majority has agreed.
    private static final long SLOWEST_ANSWER_MS = 100;
    /// More followers than any quorum has.
    private static final int MAX_HELD = 32;

    private static final byte NO = 0;
    private static final byte YES = 1;
    /// No, since the one that is asked will stand itself.
    private static final byte I_AM_BETTER = 2;

    /// What this node knows of the quorum.
    interface Quorum {

        /// The present leader as this follower sees it, or null if it has none or leads itself.
        @Nullable
        Leader leader();

        /// The term in which this node leads, or -1.
        long leadsIn();

        /// Where this node's log ends, as a note about the leader.
        PeerNote note(Leader leader);

        /// All voters' keys.
        Collection<String> voters();

        String self();

        /// Has this node stand for election now, if it still follows this leader.
        void stand(Leader leader);
    }

    record Leader(String key, long term) {}

    private final Quorum quorum;
    private final RaftTransport transport;
    private final PeerAddresses addresses;
    private final ScheduledExecutorService loop;

    // The maintenance thread's.
    private @Nullable Leader watched;
    private @Nullable Leader gone;
    private final Map<String, CompletableFuture<ByteBuffer>> held = new HashMap<>();

    LeaderWatch(Quorum quorum, RaftTransport transport, PeerAddresses addresses, ScheduledExecutorService loop) {
        this.quorum = quorum;
        this.transport = transport;
        this.addresses = addresses;
        this.loop = loop;
    }

    private void enqueue(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the quorum is closing", e);
        }
    }

    private void later(long delayMs, Runnable task) {
        try {
            loop.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the quorum is closing", e);
        }
    }

    /// There may be another leader than before, or none.
    void onLeaderChanged() {
        enqueue(() -> {
            if (quorum.leadsIn() < 0) {
                release();
            }
            watch();
        });
    }

    // ---- The follower.

    private void watch() {
        Leader leader = quorum.leader();
        if (leader == null) {
            watched = null;
        } else if (!leader.equals(watched)) {
            watched = leader;
            greet(leader);
        }
    }

    private boolean isWatched(Leader leader) {
        return leader.equals(watched) && leader.equals(quorum.leader());
    }

    /// The first request is answered at once: a leader whose listener does not answer yet is not one that is gone.
    private void greet(Leader leader) {
        ask(leader, false)
                .whenComplete((yes, failure) -> enqueue(() -> {
                    if (!isWatched(leader)) {
                        watch();
                    } else if (failure == null && yes) {
                        hold(leader);
                    } else {
                        later(RETRY_MS, () -> retry(leader, () -> greet(leader)));
                    }
                }));
    }

    private void hold(Leader leader) {
        ask(leader, true)
                .whenComplete((yes, failure) -> enqueue(() -> {
                    if (!isWatched(leader)) {
                        watch();
                    } else if (failure == null && yes) {
                        hold(leader);
                    } else if (failure != null && !isTimeout(failure)) {
                        broken(leader);
                    } else {
                        later(RETRY_MS, () -> retry(leader, () -> greet(leader)));
                    }
                }));
    }

    private void retry(Leader leader, Runnable again) {
        if (isWatched(leader)) {
            again.run();
        } else {
            watch();
        }
    }

    private static boolean isTimeout(Throwable failure) {
        return failure instanceof TimeoutException
                || (failure instanceof CompletionException && failure.getCause() instanceof TimeoutException);
    }

    private CompletableFuture<Boolean> ask(Leader leader, boolean hold) {
        ByteBuffer note = quorum.note(leader).encode();
        ByteBuffer request = ByteBuffer.allocate(1 + note.remaining())
                .put(hold ? YES : NO)
                .put(note)
                .flip();
        return send(leader.key(), RaftMessage.WATCH, request, hold ? REQUEST_TIMEOUT_MS : AGREEMENT_TIMEOUT_MS);
    }

    private CompletableFuture<Boolean> send(String key, RaftMessage kind, ByteBuffer request, long timeoutMs) {
        return ask(key, kind, request, timeoutMs).thenApply(answer -> answer == YES);
    }

    private CompletableFuture<Byte> ask(String key, RaftMessage kind, ByteBuffer request, long timeoutMs) {
        PeerAddresses.Address address = addresses.find(key);
        if (address == null) {
            return CompletableFuture.failedFuture(new IOException("the address of voter " + key + " is not known"));
        }
        return transport
                .send(address.host(), address.port(), kind, request, timeoutMs)
                .thenApply(answer -> answer.hasRemaining() ? answer.get() : NO);
    }

    private void broken(Leader leader) {
        isGone(leader)
                .thenAccept(refused -> enqueue(() -> {
                    if (!isWatched(leader)) {
                        watch();
                    } else if (refused) {
                        LOG.info("the process of the metadata quorum's leader {} is gone", leader);
                        gone = leader;
                        seekAgreement(leader);
                    } else {
                        later(RETRY_MS, () -> retry(leader, () -> greet(leader)));
                    }
                }));
    }

    private CompletableFuture<Boolean> isGone(Leader leader) {
        PeerAddresses.Address address = addresses.find(leader.key());
        if (address == null) {
            return CompletableFuture.completedFuture(false);
        }
        return transport
                .listens(address.host(), address.port(), PROBE_TIMEOUT_MS)
                .handle((listens, failure) -> failure == null && !listens);
    }

    private void seekAgreement(Leader leader) {
        List<String> others = quorum.voters().stream()
                .filter(voter -> !voter.equals(quorum.self()) && !voter.equals(leader.key()))
                .toList();
        var poll = new Poll(others.size(), (quorum.voters().size() / 2 + 1) - 1, () -> enqueue(() -> stand(leader)));
        ByteBuffer note = quorum.note(leader).encode();
        for (String voter : others) {
            ask(voter, RaftMessage.LEADER_GONE, note.duplicate(), AGREEMENT_TIMEOUT_MS)
                    .whenComplete((answer, failure) -> enqueue(() -> poll.answered(failure == null ? answer : NO)));
        }
        later(SLOWEST_ANSWER_MS, poll::close);
        // Whoever should stand in the place of this node may not get to it.
        later(RETRY_MS, () -> {
            if (isWatched(leader)) {
                broken(leader);
            } else {
                watch();
            }
        });
    }

    /// The other voters' answers. A majority must agree, and nobody who is better may be about to stand: two that stand
    /// at a time part the votes between them. On the maintenance thread.
    private static final class Poll {
        private final int needed;
        private final Runnable stand;
        private int open;
        private int agreeing;
        private boolean over;

        Poll(int asked, int needed, Runnable stand) {
            this.open = asked;
            this.needed = needed;
            this.stand = stand;
        }

        void answered(byte answer) {
            open--;
            over |= answer == I_AM_BETTER;
            agreeing += answer == YES ? 1 : 0;
            if (open == 0) {
                close();
            }
        }

        /// Whoever has not answered by now is not waited for.
        void close() {
            if (!over && agreeing >= needed) {
                over = true;
                stand.run();
            }
        }
    }

    private void stand(Leader leader) {
        if (isWatched(leader) && leader.equals(gone)) {
            quorum.stand(leader);
        }
    }

    // ---- Those who are asked.

    /// A follower keeps this open here as long as this node leads.
    CompletableFuture<ByteBuffer> onWatch(ByteBuffer request) {
        var answer = new CompletableFuture<ByteBuffer>();
        enqueue(() -> {
            try {
                boolean hold = request.get() == YES;
                PeerNote note = PeerNote.decode(request);
                if (quorum.leadsIn() != note.term()) {
                    answer.complete(bytes(NO));
                } else if (!hold) {
                    answer.complete(bytes(YES));
                } else {
                    hold(note.sender(), answer);
                }
            } catch (IOException | RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private void hold(String sender, CompletableFuture<ByteBuffer> answer) {
        if (held.size() >= MAX_HELD && !held.containsKey(sender)) {
            answer.complete(bytes(NO));
            return;
        }
        CompletableFuture<ByteBuffer> before = held.put(sender, answer);
        if (before != null) {
            before.complete(bytes(YES));
        }
        later(HOLD_MS, () -> {
            held.remove(sender, answer);
            answer.complete(bytes(YES));
        });
    }

    /// This node leads no more: whoever watches it should look for the next leader.
    private void release() {
        held.values().forEach(answer -> answer.complete(bytes(NO)));
        held.clear();
    }

    /// Another follower says that the leader is gone, and asks whether it should stand.
    CompletableFuture<ByteBuffer> onLeaderGone(ByteBuffer request) {
        var answer = new CompletableFuture<ByteBuffer>();
        enqueue(() -> {
            try {
                PeerNote note = PeerNote.decode(request);
                var leader = new Leader(note.leader(), note.term());
                if (!leader.equals(quorum.leader())) {
                    answer.complete(bytes(NO));
                    return;
                }
                isGone(leader).thenAccept(refused -> enqueue(() -> judge(note, leader, refused, answer)));
            } catch (IOException | RuntimeException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private void judge(PeerNote note, Leader leader, boolean refused, CompletableFuture<ByteBuffer> answer) {
        if (!refused || !leader.equals(quorum.leader())) {
            answer.complete(bytes(NO));
            return;
        }
        PeerNote own = quorum.note(leader);
        if (!note.isWorseThan(own.sender(), own.lastTerm(), own.lastIndex())) {
            answer.complete(bytes(YES));
            return;
        }
        answer.complete(bytes(I_AM_BETTER));
        if (!leader.equals(gone)) {
            watched = leader;
            gone = leader;
            seekAgreement(leader);
        }
    }

    private static ByteBuffer bytes(byte value) {
        return ByteBuffer.allocate(1).put(value).flip();
    }

    /// On the maintenance thread, or after its end.
    void close() {
        release();
    }
}
