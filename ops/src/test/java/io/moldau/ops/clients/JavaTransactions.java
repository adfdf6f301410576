package io.moldau.ops.clients;

import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.transaction.TopicContents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/// What the Java client's transactional producer is told, what consumers then see, and what the cluster says of it: a
/// line for each observation. One thread.
final class JavaTransactions {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final List<String> ISOLATIONS = List.of("read_committed", "read_uncommitted");

    private final String bootstrap;
    private final String prefix;
    private final Admin admin;
    private final List<String> observations = new ArrayList<>();

    JavaTransactions(String bootstrap, String prefix) {
        this.bootstrap = bootstrap;
        this.prefix = prefix;
        admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    List<String> observe() {
        try (admin) {
            commitAndAbort();
            openTransaction();
            fencing();
            fencedCommit();
            fencedOffsets();
            timeOut();
            offsets();
            fencingByAdministrators();
            return List.copyOf(observations);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void commitAndAbort() throws Exception {
        var topic = topic("ends", 2);
        try (var producer = producer("ends", 60_000)) {
            producer.initTransactions();
            producer.beginTransaction();
            observed("committed records", write(producer, topic, 0, "c1", "c2"), write(producer, topic, 1, "c3"));
            describe("in it", "ends", topic);
            observed("commit", outcome(producer::commitTransaction));
            describe("after commit", "ends", topic);
            producer.beginTransaction();
            observed("aborted records", write(producer, topic, 0, "a1"));
            observed("abort", outcome(producer::abortTransaction));
            describe("after abort", "ends", topic);
            producer.beginTransaction();
            observed("empty commit", outcome(producer::commitTransaction));
            producer.beginTransaction();
            observed("empty abort", outcome(producer::abortTransaction));
            producer.beginTransaction();
            write(producer, topic, 0, "c4");
            observed("last commit", outcome(producer::commitTransaction));
        }
        both("ends 0", topic, 0);
        both("ends 1", topic, 1);
    }

    private void openTransaction() throws Exception {
        var topic = topic("open", 1);
        try (var producer = producer("open", 60_000);
                var plain = producer("", 0)) {
            producer.initTransactions();
            observed("before", write(plain, topic, 0, "n1"));
            producer.beginTransaction();
            write(producer, topic, 0, "o1");
            observed("beside", write(plain, topic, 0, "n2"));
            read("open", topic, 0);
            describe("open", "open", topic);
            observed("commit", outcome(producer::commitTransaction));
            both("open", topic, 0);
        }
    }

    private void fencing() throws Exception {
        var topic = topic("fenced", 1);
        try (var zombie = producer("fenced", 60_000);
                var successor = producer("fenced", 60_000)) {
            zombie.initTransactions();
            zombie.beginTransaction();
            write(zombie, topic, 0, "z1");
            successor.initTransactions();
            observed("zombie's record", write(zombie, topic, 0, "z2"));
            observed("zombie's commit", outcome(zombie::commitTransaction));
            observed("zombie's abort", outcome(zombie::abortTransaction));
            successor.beginTransaction();
            write(successor, topic, 0, "s1");
            observed("successor's commit", outcome(successor::commitTransaction));
            both("fenced", topic, 0);
        }
    }

    private void fencedCommit() throws Exception {
        var topic = topic("late", 1);
        try (var zombie = producer("late", 60_000);
                var successor = producer("late", 60_000)) {
            zombie.initTransactions();
            zombie.beginTransaction();
            write(zombie, topic, 0, "z1");
            successor.initTransactions();
            observed("late commit", outcome(zombie::commitTransaction));
            observed(
                    "late offsets",
                    outcome(() -> zombie.sendOffsetsToTransaction(
                            Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(1)),
                            new ConsumerGroupMetadata("late"))));
            both("late", topic, 0);
        }
    }

    private void fencedOffsets() throws Exception {
        var topic = topic("outdated", 1);
        var offsets = Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(1));
        try (var zombie = producer("outdated", 60_000);
                var successor = producer("outdated", 60_000)) {
            zombie.initTransactions();
            zombie.beginTransaction();
            zombie.sendOffsetsToTransaction(offsets, new ConsumerGroupMetadata("outdated"));
            successor.initTransactions();
            observed(
                    "offsets of a zombie",
                    outcome(() -> zombie.sendOffsetsToTransaction(offsets, new ConsumerGroupMetadata("outdated"))));
            observed("its commit", outcome(zombie::commitTransaction));
            successor.beginTransaction();
            write(successor, topic, 0, "s1");
            observed("successor's commit", outcome(successor::commitTransaction));
        }
        try (var zombie = producer("outdated", 60_000);
                var successor = producer("outdated", 60_000)) {
            zombie.initTransactions();
            successor.initTransactions();
            zombie.beginTransaction();
            observed(
                    "offsets of a zombie in a new transaction",
                    outcome(() -> zombie.sendOffsetsToTransaction(offsets, new ConsumerGroupMetadata("outdated"))));
            observed("its abort", outcome(zombie::abortTransaction));
        }
    }

    private void timeOut() throws Exception {
        var topic = topic("slow", 1);
        try (var producer = producer("slow", 1_000)) {
            producer.initTransactions();
            producer.beginTransaction();
            write(producer, topic, 0, "t1");
            // Waits for the coordinator to abort it.
            both("time-out", topic, 0);
            describe("after the time-out", "slow", topic);
            observed("commit after the time-out", outcome(producer::commitTransaction));
        }
    }

    private void offsets() throws Exception {
        var topic = topic("source", 1);
        var at = new TopicPartition(topic, 0);
        var group = prefix + "-offsets";
        try (var producer = producer("offsets", 60_000);
                var consumer = consumer(group, "read_committed")) {
            producer.initTransactions();
            for (int offset = 1; offset <= 4; offset++) {
                producer.beginTransaction();
                producer.sendOffsetsToTransaction(
                        Map.of(at, new OffsetAndMetadata(offset, "m" + offset)), new ConsumerGroupMetadata(group));
                if (offset == 3) {
                    observed(
                            "offset while it is open",
                            outcome(() -> consumer.committed(Set.of(at), Duration.ofMillis(500))));
                }
                observed(
                        "end " + offset,
                        outcome(offset == 2 ? producer::abortTransaction : producer::commitTransaction));
                observed("offset after " + offset, consumer.committed(Set.of(at), PATIENCE));
            }
            producer.beginTransaction();
            observed("offsets of a stranger", outcome(() -> {
                producer.sendOffsetsToTransaction(
                        Map.of(at, new OffsetAndMetadata(9)),
                        new ConsumerGroupMetadata(group, 7, "nobody", Optional.empty()));
                producer.commitTransaction();
            }));
            observed("abort", outcome(producer::abortTransaction));
            observed("offset at the end", consumer.committed(Set.of(at), PATIENCE));
        }
    }

    private void fencingByAdministrators() throws Exception {
        var topic = topic("expelled", 1);
        try (var producer = producer("expelled", 60_000)) {
            producer.initTransactions();
            producer.beginTransaction();
            write(producer, topic, 0, "x1");
            admin.fenceProducers(List.of(prefix + "-expelled")).all().get(30, TimeUnit.SECONDS);
            observed("commit of one that was fenced", outcome(producer::commitTransaction));
            both("expelled", topic, 0);
            observed(
                    "unknown id",
                    outcome(() -> admin.describeTransactions(List.of("nobody"))
                            .description("nobody")
                            .get(30, TimeUnit.SECONDS)));
            observed(
                    "ids",
                    admin.listTransactions().all().get(30, TimeUnit.SECONDS).stream()
                            .map(it -> it.transactionalId())
                            .filter(it -> it.startsWith(prefix))
                            .sorted()
                            .toList());
        }
    }

    /// What the coordinator and the first partition's leader know, without what differs from run to run.
    private void describe(String when, String name, String topic) throws Exception {
        var id = prefix + "-" + name;
        var transaction = describe(id);
        for (int i = 0; i < 300 && transaction.state().toString().startsWith("Prepare"); i++) {
            Await.pass(Duration.ofMillis(100));
            transaction = describe(id);
        }
        observed(
                when,
                transaction.state(),
                transaction.transactionTimeoutMs(),
                transaction.topicPartitions().stream()
                        .map(Object::toString)
                        .sorted()
                        .toList(),
                transaction.transactionStartTimeMs().isPresent());
        var at = new TopicPartition(topic, 0);
        observed(
                when + ", the partition's",
                admin
                        .describeProducers(List.of(at))
                        .partitionResult(at)
                        .get(30, TimeUnit.SECONDS)
                        .activeProducers()
                        .stream()
                        .map(it ->
                                it.producerEpoch() + " " + it.lastSequence() + " " + it.currentTransactionStartOffset())
                        .sorted()
                        .toList());
    }

    private TransactionDescription describe(String id) throws Exception {
        return admin.describeTransactions(List.of(id)).description(id).get(30, TimeUnit.SECONDS);
    }

    private String topic(String name, int partitions) throws Exception {
        var full = prefix + "-" + name;
        admin.createTopics(List.of(new NewTopic(full, partitions, (short) 1)))
                .all()
                .get(30, TimeUnit.SECONDS);
        return full;
    }

    /// An empty name makes one that has no transactions.
    private KafkaProducer<String, String> producer(String name, int timeoutMs) {
        var settings = new HashMap<String, Object>(Map.of("bootstrap.servers", bootstrap, "max.block.ms", 20_000));
        if (!name.isEmpty()) {
            settings.put("transactional.id", prefix + "-" + name);
            settings.put("transaction.timeout.ms", timeoutMs);
        }
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    private KafkaConsumer<String, String> consumer(String group, String isolation) {
        return new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "group.id",
                        group,
                        "isolation.level",
                        isolation,
                        "enable.auto.commit",
                        false,
                        "auto.offset.reset",
                        "earliest"),
                new StringDeserializer(),
                new StringDeserializer());
    }

    /// The offset of each, or how it was refused.
    private static List<String> write(
            KafkaProducer<String, String> producer, String topic, int partition, String... values) {
        var told = new ArrayList<String>();
        for (var value : values) {
            told.add(outcome(
                    () -> told.add(Long.toString(producer.send(new ProducerRecord<>(topic, partition, null, value))
                            .get(30, TimeUnit.SECONDS)
                            .offset()))));
        }
        return told;
    }

    /// Everything in both isolations, up to a record in no transaction.
    private void both(String name, String topic, int partition) throws Exception {
        // The next record has the same offset every time when the last transaction's end is in the log.
        TopicContents.awaitStable(bootstrap, List.of(new TopicPartition(topic, partition)), PATIENCE);
        try (var plain = producer("", 0)) {
            plain.send(new ProducerRecord<>(topic, partition, null, "end")).get(30, TimeUnit.SECONDS);
        }
        for (var isolation : ISOLATIONS) {
            observed(name + " " + isolation, records(topic, partition, isolation, "end"));
        }
    }

    /// Everything there is now.
    private void read(String name, String topic, int partition) {
        for (var isolation : ISOLATIONS) {
            try (var consumer = consumer(prefix, isolation)) {
                var at = new TopicPartition(topic, partition);
                observed(name + " end " + isolation, consumer.endOffsets(Set.of(at), PATIENCE));
            }
        }
        observed(name + " read_committed", records(topic, partition, "read_committed", "n1"));
        observed(name + " read_uncommitted", records(topic, partition, "read_uncommitted", "n2"));
    }

    private List<String> records(String topic, int partition, String isolation, String last) {
        try (var consumer = consumer(prefix, isolation)) {
            var at = new TopicPartition(topic, partition);
            consumer.assign(Set.of(at));
            consumer.seekToBeginning(Set.of(at));
            var seen = new ArrayList<String>();
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() < deadline
                    && (seen.isEmpty() || !seen.getLast().endsWith("=" + last))) {
                consumer.poll(Duration.ofMillis(200)).forEach(it -> seen.add(it.offset() + "=" + it.value()));
            }
            return seen;
        }
    }

    @FunctionalInterface
    private interface Call {
        void run() throws Exception;
    }

    private static String outcome(Call call) {
        try {
            call.run();
            return "done";
        } catch (ExecutionException e) {
            return name(e.getCause());
        } catch (KafkaException e) {
            return e.getCause() == null ? name(e) : name(e) + " for " + name(e.getCause());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// Messages are everybody's own.
    private static String name(@Nullable Throwable failure) {
        return failure == null ? "unknown" : failure.getClass().getSimpleName();
    }

    private void observed(String what, Object... values) {
        observations.add(what + ": " + List.of(values));
    }
}
