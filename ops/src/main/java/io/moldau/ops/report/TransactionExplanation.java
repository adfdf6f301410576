package io.moldau.ops.report;

import io.moldau.common.TopicPartition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Why a transaction is not over, and which partitions readers of committed records therefore do not get on in.
/// Functions.
public final class TransactionExplanation {

    /// A coordinator looks for transactions that are over time every ten seconds.
    private static final long GRACE_MS = 20_000;

    private static final Comparator<TopicPartition> ORDER =
            Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition);

    /// A transaction as its coordinator has it.
    ///
    /// @param state in Kafka's words, such as `Ongoing`
    /// @param coordinator the broker
    /// @param startMs by the coordinator's clock, if a transaction is open
    public record Transaction(
            String id,
            String state,
            int coordinator,
            long producerId,
            int producerEpoch,
            long timeoutMs,
            OptionalLong startMs,
            Set<TopicPartition> partitions) {}

    /// Somebody who has written to a partition lately.
    ///
    /// @param start the first offset of its open transaction
    public record OpenProducer(long producerId, int epoch, OptionalLong start, long lastTimestampMs) {}

    /// A partition at one moment, for readers.
    ///
    /// @param stable where readers of committed records stop
    /// @param end where the others do
    /// @param open those of the producers that are in a transaction here
    public record Held(long stable, long end, List<OpenProducer> open) {

        public Held {
            open = open.stream()
                    .filter(producer -> producer.start().isPresent())
                    .toList();
        }

        /// Whose transaction began first, null if nobody's is open.
        @Nullable
        OpenProducer first() {
            return open.stream()
                    .min(Comparator.comparingLong(producer -> producer.start().orElse(Long.MAX_VALUE)))
                    .orElse(null);
        }
    }

    private TransactionExplanation() {}

    /// @param held those of its partitions that could be asked
    /// @param nowMs by this machine's clock
    public static List<Finding> of(Transaction transaction, Map<TopicPartition, Held> held, long nowMs) {
        long openMs = transaction.startMs().isPresent()
                ? Math.max(0, nowMs - transaction.startMs().getAsLong())
                : 0;
        String since = transaction.startMs().isPresent()
                ? " since " + Words.instant(transaction.startMs().getAsLong()) + " (" + openMs / 1000 + " s)"
                : "";
        String who = "Transaction " + transaction.id();
        String by = ", by producer " + transaction.producerId() + " in epoch " + transaction.producerEpoch()
                + ", coordinated by broker " + transaction.coordinator();
        List<Finding> because = held(transaction, held);
        Finding finding = switch (transaction.state()) {
            case "Ongoing" -> {
                String left = "The producer commits or aborts it; if it is gone, the coordinator aborts it after"
                        + " transaction.timeout.ms=" + transaction.timeoutMs() + ".";
                yield openMs > transaction.timeoutMs() + GRACE_MS
                        ? Finding.problem(
                                who + " is open" + since + by
                                        + ", longer than its time-out: the coordinator should have ended it.",
                                "Look at the log of broker " + transaction.coordinator() + "; a new producer with"
                                        + " transactional.id=" + transaction.id() + " ends it as well.")
                        : openMs > transaction.timeoutMs() / 2
                                ? Finding.warning(who + " is open" + since + by + ".", left)
                                : Finding.note(who + " is open" + since + by + ".", left);
            }
            case "PrepareCommit", "PrepareAbort", "PrepareEpochFence" -> {
                String how = transaction.state().equals("PrepareCommit") ? "committed" : "aborted";
                String text = who + " is being " + how + since + by
                        + ": its end is decided, and not every partition has its marker.";
                String remedy = "It waits for the leaders of these partitions: 'moldau explain partition "
                        + "TOPIC-N', and the log of broker " + transaction.coordinator() + ".";
                yield openMs > transaction.timeoutMs() + GRACE_MS
                        ? Finding.problem(text, remedy)
                        : Finding.note(text, remedy);
            }
            case "CompleteCommit" ->
                Finding.ok(who + " has no transaction open" + by + "; the last one was" + " committed.");
            case "CompleteAbort" ->
                Finding.ok(who + " has no transaction open" + by + "; the last one was" + " aborted.");
            case "Empty" -> Finding.ok(who + " has no transaction open" + by + ".");
            case "Dead" -> Finding.note(who + " has expired, and is being forgotten" + by + ".", "");
            default -> Finding.note(who + " is in state " + transaction.state() + since + by + ".", "");
        };
        return List.of(finding.because(because));
    }

    private static List<Finding> held(Transaction transaction, Map<TopicPartition, Held> held) {
        List<Finding> findings = new ArrayList<>();
        transaction.partitions().stream().sorted(ORDER).forEach(partition -> {
            Held at = held.get(partition);
            if (at == null) {
                findings.add(Finding.problem(
                        partition + " does not answer", "'moldau explain partition " + partition + "' says why."));
                return;
            }
            OpenProducer first = at.first();
            boolean own = first == null || first.producerId() == transaction.producerId();
            long waiting = at.end() - at.stable();
            findings.add(Finding.note(
                    partition + ": readers of committed records stop at " + at.stable() + ", "
                            + Words.count(waiting, "record") + " before the end, " + at.end()
                            + (own || waiting == 0
                                    ? ""
                                    : "; what holds them there is producer "
                                            + Objects.requireNonNull(first).producerId() + ", not this one"),
                    own || waiting == 0
                            ? ""
                            : "'moldau explain transaction --partition " + partition + "' says more."));
        });
        return findings;
    }

    /// What holds readers of committed records back in a partition.
    ///
    /// @param known the transactions that coordinators know of, by producer id
    public static List<Finding> partition(
            TopicPartition partition, @Nullable Held held, Map<Long, Transaction> known, long nowMs) {
        if (held == null) {
            return List.of(Finding.problem(
                    partition + " does not answer, so nobody can say what is open in it.",
                    "'moldau explain partition " + partition + "' says why."));
        }
        OpenProducer first = held.first();
        if (first == null) {
            return List.of(Finding.ok("No transaction is open in " + partition
                    + ": readers of committed records see all up to the end, " + held.end() + "."));
        }
        long start = first.start().orElse(-1);
        String text = "Readers of committed records stop at " + held.stable() + " in " + partition + ", "
                + Words.count(held.end() - held.stable(), "record") + " before the end: producer "
                + first.producerId() + " has a transaction open there since offset " + start + ".";
        Transaction transaction = known.get(first.producerId());
        if (transaction != null && transaction.partitions().contains(partition)) {
            return List.of(Finding.warning(text, "").because(of(transaction, Map.of(partition, held), nowMs)));
        }
        return List.of(Finding.problem(
                text + " No coordinator knows of it: it hangs, and nothing will end it by itself.",
                "End it: 'kafka-transactions.sh --bootstrap-server HOST:PORT abort --topic " + partition.topic()
                        + " --partition " + partition.partition() + " --start-offset " + start + "'; its last record is"
                        + " of " + Words.instant(first.lastTimestampMs()) + "."));
    }

    /// By producer id.
    public static Map<Long, Transaction> byProducer(List<Transaction> transactions) {
        Map<Long, Transaction> known = new TreeMap<>();
        transactions.forEach(transaction -> known.put(transaction.producerId(), transaction));
        return known;
    }
}
