package io.moldau.ops.cli;

import io.moldau.ops.cli.BenchReaders.Reading;
import io.moldau.ops.report.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `moldau bench`: how fast a cluster is, by Kafka's own clients.
@Command(
        name = "bench",
        description = {
            "Measures how fast a cluster takes records, gives them, and how long one needs from end to end.",
            "",
            "  produce     from when a record is due until it is acknowledged",
            "  consume     reads what is there, from the beginning, and again if that is not enough",
            "  end-to-end  from when a record is due until a consumer has it; 1000 records a second unless"
                    + " --throughput says otherwise",
            "",
            "Without a name all three, one after the other. With --throughput, records are due at that rate whether"
                    + " the cluster keeps up or not, and one that had to wait counts with its wait. The topic is made for"
                    + " the bench and removed after it, unless --topic names one; that one is written into and kept."
                    + " MiB/s are of values, before compression. It works with any cluster that speaks Kafka's protocol.",
            "",
            "Records that fail or do not come make the exit status 1."
        },
        footer = {
            "",
            "Examples:",
            "  moldau bench",
            "  moldau bench produce -n 1000000 -s 1000 --producers 4 --acks 1 -z lz4",
            "  moldau bench end-to-end --throughput 5000 -d 60 --json"
        })
final class BenchCommand implements Callable<Integer> {

    /// What is measured.
    enum Mode {
        PRODUCE("produce"),
        CONSUME("consume"),
        END_TO_END("end-to-end");

        private final String word;

        Mode(String word) {
            this.word = word;
        }

        /// For picocli.
        static final class Words implements Iterable<String> {
            @Override
            public Iterator<String> iterator() {
                return Stream.of(values()).map(mode -> mode.word).iterator();
            }
        }
    }

    private static final double END_TO_END_RATE = 1000;
    private static final long FILL_BYTES = 128L << 20;
    private static final long ARRIVE_MS = 10_000;
    private static final long LOOK_MS = 20;
    private static final int DEFAULT_PARTITIONS = 3;

    private final ToolContext context;

    @Parameters(
            arity = "0..*",
            paramLabel = "MODE",
            completionCandidates = Mode.Words.class,
            description = "produce, consume or end-to-end (default: all three).")
    private List<String> modes = List.of();

    @Option(
            names = {"-t", "--topic"},
            paramLabel = "TOPIC",
            description = "A topic that exists, instead of one made for this.")
    private @Nullable String named;

    @Option(
            names = {"-p", "--partitions"},
            paramLabel = "N",
            description = "Partitions of the topic that is made (default: " + DEFAULT_PARTITIONS + ").")
    private @Nullable Integer partitions;

    @Option(
            names = {"-r", "--replication-factor"},
            paramLabel = "N",
            description = "Its replicas (default: the cluster's).")
    private @Nullable Integer replicas;

    @Option(
            names = {"-n", "--records", "--num-records"},
            paramLabel = "N",
            description = "So many records, after the warm-up (default: by --duration).")
    private @Nullable Long records;

    @Option(
            names = {"-d", "--duration"},
            paramLabel = "SECONDS",
            description = "So long, after the warm-up (default: 10).")
    private @Nullable Integer seconds;

    @Option(
            names = {"-w", "--warm-up"},
            paramLabel = "SECONDS",
            defaultValue = "3",
            description = "How long before anything is measured (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds;

    @Option(
            names = {"-s", "--record-size"},
            paramLabel = "BYTES",
            defaultValue = "1024",
            description = "Size of a value (default: ${DEFAULT-VALUE}).")
    private int recordBytes;

    @Option(
            names = "--throughput",
            paramLabel = "N",
            description = "Records a second, of all producers together (default: as many as go).")
    private double perSecond;

    @Option(
            names = "--producers",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many (default: ${DEFAULT-VALUE}).")
    private int producers;

    @Option(
            names = "--consumers",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many; not more than partitions (default: ${DEFAULT-VALUE}).")
    private int consumers;

    @Option(
            names = "--acks",
            paramLabel = "ACKS",
            defaultValue = "all",
            description = "all, 1 or 0 (default: ${DEFAULT-VALUE}).")
    private String acks = "all";

    @Option(
            names = {"-z", "--compression"},
            paramLabel = "CODEC",
            defaultValue = "none",
            description = "none, gzip, snappy, lz4 or zstd (default: ${DEFAULT-VALUE}).")
    private String compression = "none";

    @Option(
            names = "--linger",
            paramLabel = "MS",
            description = "How long records wait for others of their batch (default: the client's).")
    private @Nullable Integer lingerMs;

    @Option(names = "--batch-size", paramLabel = "BYTES", description = "The largest batch (default: the client's).")
    private @Nullable Integer batchBytes;

    @Option(
            names = "--producer-property",
            paramLabel = "KEY=VALUE",
            description = "Any other setting of producers; may be repeated.")
    private Map<String, String> producerProperties = Map.of();

    @Option(
            names = "--consumer-property",
            paramLabel = "KEY=VALUE",
            description = "Any other setting of consumers; may be repeated.")
    private Map<String, String> consumerProperties = Map.of();

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    private final AtomicBoolean stopped = new AtomicBoolean();

    BenchCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws InterruptedException {
        check();
        Properties client = options.properties();
        List<BenchResult> results = new ArrayList<>();
        try (Cluster cluster = context.clusters().apply(options.properties());
                var _ = context.machine().onStop(() -> stopped.set(true))) {
            String topic = named == null ? "moldau-bench-" + context.time().milliseconds() : named;
            if (named == null) {
                cluster.createTopic(
                        topic,
                        OptionalInt.of(partitions == null ? DEFAULT_PARTITIONS : partitions),
                        replicas == null ? OptionalInt.empty() : OptionalInt.of(replicas),
                        Map.of(),
                        false);
                context.note("topic " + topic + " is made");
            } else {
                var there = cluster.topics(List.of(topic));
                context.note("topic " + topic + " has "
                        + Words.count(there.getFirst().partitions().size(), "partition"));
            }
            try {
                run(plan(topic, client), results);
            } finally {
                if (named == null) {
                    cluster.deleteTopic(topic);
                }
            }
        }
        context.print(options.json(), json(results), BenchResult.table(results));
        return results.stream().anyMatch(result -> result.failed() > 0) ? Tool.REFUSED : ClusterCommand.DONE;
    }

    private void check() {
        for (String mode : modes) {
            if (Stream.of(Mode.values()).noneMatch(it -> it.word.equals(mode))) {
                throw new ParameterException(
                        Objects.requireNonNull(spec).commandLine(),
                        "'" + mode + "' is none of " + String.join(", ", new Mode.Words()));
            }
        }
        if (records != null && seconds != null) {
            throw new ToolException("--records and --duration exclude each other.", "Give one of the two.");
        }
        if (named != null && (partitions != null || replicas != null)) {
            throw new ToolException(
                    "--partitions and --replication-factor are for the topic that is made, and --topic names one.",
                    "Leave --topic away, or the others.");
        }
        atLeast("--record-size", recordBytes, BenchPayload.LEAST_BYTES);
        atLeast("--producers", producers, 1);
        atLeast("--consumers", consumers, 1);
        atLeast("--warm-up", warmUpSeconds, 0);
        atLeast("--records", records == null ? 1 : records, 1);
        atLeast("--duration", seconds == null ? 1 : seconds, 1);
    }

    private static void atLeast(String option, long given, long least) {
        if (given < least) {
            throw new ToolException(
                    option + " is " + given + ", and must be " + least + " or more.", "Give another number.");
        }
    }

    private BenchPlan plan(String topic, Properties client) {
        var producer = new Properties();
        producer.putAll(client);
        long timeoutMs = Bootstrap.calls(client, context.machine()).timeoutMs();
        producer.put(ProducerConfig.ACKS_CONFIG, acks);
        producer.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, Boolean.toString(acks.equals("all")));
        producer.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, compression);
        producer.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.toString(timeoutMs));
        if (lingerMs != null) {
            producer.put(ProducerConfig.LINGER_MS_CONFIG, lingerMs.toString());
        }
        if (batchBytes != null) {
            producer.put(ProducerConfig.BATCH_SIZE_CONFIG, batchBytes.toString());
        }
        producer.put(
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                Long.toString(timeoutMs + (lingerMs == null ? TimeUnit.SECONDS.toMillis(1) : lingerMs)));
        producer.putAll(producerProperties);
        var consumer = new Properties();
        consumer.putAll(client);
        consumer.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        consumer.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        consumer.putAll(consumerProperties);
        return new BenchPlan(
                topic,
                recordBytes,
                records == null ? 0 : records,
                Duration.ofSeconds(seconds == null ? 10 : seconds),
                Duration.ofSeconds(warmUpSeconds),
                perSecond,
                producers,
                consumers,
                producer,
                consumer);
    }

    private void run(BenchPlan plan, List<BenchResult> results) throws InterruptedException {
        Set<Mode> all = Stream.of(Mode.values())
                .filter(mode -> modes.isEmpty() || modes.contains(mode.word))
                .collect(Collectors.toUnmodifiableSet());
        boolean filled = named != null;
        for (Mode mode : Mode.values()) {
            if (!all.contains(mode) || stopped.get()) {
                continue;
            }
            switch (mode) {
                case PRODUCE -> results.add(produce(plan, mode.word));
                case CONSUME -> {
                    if (!filled && !all.contains(Mode.PRODUCE)) {
                        fill(plan);
                    }
                    results.add(consume(plan, mode.word));
                }
                case END_TO_END ->
                    results.add(endToEnd(plan.perSecond() > 0 ? plan : plan.withRate(END_TO_END_RATE), mode.word));
            }
        }
    }

    private BenchProducers producers(BenchPlan plan, long run) {
        return new BenchProducers(plan, context.clients(), context.time(), run);
    }

    private BenchResult produce(BenchPlan plan, String word) throws InterruptedException {
        var threads = BenchThreads.start(
                word, plan, producers(plan, context.time().nanoseconds()), context, true, stopped::get);
        threads.awaitTold();
        return checked(threads, threads.measuredFrom(), plan.producer());
    }

    private void fill(BenchPlan plan) throws InterruptedException {
        long count = plan.byTime() ? Math.max(1, FILL_BYTES / plan.recordBytes()) : plan.records();
        context.note("filling the topic with " + Words.count(count, "record"));
        produce(plan.filling(count), "fill");
    }

    private BenchResult consume(BenchPlan plan, String word) throws InterruptedException {
        List<TopicPartition> there = partitionsOf(plan);
        try (Consumer<byte[], byte[]> consumer = context.clients().consumer(plan.consumer())) {
            if (consumer.endOffsets(there).values().stream().allMatch(end -> end == 0)) {
                throw new ToolException(
                        "Topic " + plan.topic() + " is empty: there is nothing to consume.",
                        "Run 'moldau bench produce' into it first, or leave --topic away.");
            }
        } catch (KafkaException e) {
            throw Bootstrap.calls(plan.consumer(), context.machine()).explained("the ends of topic " + plan.topic(), e);
        }
        var left = new AtomicLong(plan.byTime() ? Long.MAX_VALUE : plan.records());
        var readers = new BenchReaders(plan, there, context.clients(), context.time(), new Reading.Everything(left));
        var threads = BenchThreads.start(word, plan, readers, context, false, stopped::get);
        threads.awaitTold();
        return checked(threads, threads.measuredFrom(), plan.consumer());
    }

    private BenchResult endToEnd(BenchPlan plan, String word) throws InterruptedException {
        long run = context.time().nanoseconds();
        List<TopicPartition> there = partitionsOf(plan);
        var all = new AtomicBoolean();
        BooleanSupplier stop = () -> all.get() || stopped.get();
        var readers = new BenchReaders(plan, there, context.clients(), context.time(), new Reading.Arrivals(run));
        var reading = BenchThreads.start(word, plan, readers, context, true, stop);
        try {
            if (!readers.awaitReady()) {
                throw new ToolException(
                        "The consumers did not find where topic " + plan.topic() + " ends.",
                        "'moldau explain partition' and 'moldau doctor' may tell why.");
            }
            var sender = producers(plan, run);
            var sending = BenchThreads.start(word + ", acknowledged", plan, sender, context, true, stopped::get);
            sending.awaitTold();
            BenchResult sent = checked(sending, sending.measuredFrom(), plan.producer());
            long acknowledged = sent.records();
            for (long waited = 0; readers.received() < acknowledged && waited < ARRIVE_MS && !stopped.get(); ) {
                if (reading.await(LOOK_MS)) {
                    break;
                }
                waited += LOOK_MS;
            }
            all.set(true);
            reading.awaitTold();
            BenchResult result = checked(reading, sending.measuredFrom(), plan.consumer());
            return result.missing(sent.failed() + Math.max(0, acknowledged - result.records()));
        } finally {
            all.set(true);
        }
    }

    private List<TopicPartition> partitionsOf(BenchPlan plan) {
        try (Consumer<byte[], byte[]> consumer = context.clients().consumer(plan.consumer())) {
            List<PartitionInfo> there = consumer.partitionsFor(plan.topic());
            if (there == null || there.isEmpty()) {
                throw new ToolException(
                        "There is no topic " + plan.topic() + ".",
                        "'moldau topics list' shows the names of all topics.");
            }
            return there.stream()
                    .map(it -> new TopicPartition(it.topic(), it.partition()))
                    .toList();
        } catch (KafkaException e) {
            throw Bootstrap.calls(plan.consumer(), context.machine()).explained("topic " + plan.topic(), e);
        }
    }

    /// @throws ToolException if nothing at all came of it
    private BenchResult checked(BenchThreads threads, long fromNanos, Properties client) {
        BenchResult result = threads.result(fromNanos);
        List<Exception> failures = threads.failures();
        if (failures.isEmpty()) {
            return result;
        }
        ToolException told = failures.getFirst() instanceof ToolException it
                ? it
                : Bootstrap.calls(client, context.machine()).explained("the records of the bench", failures.getFirst());
        if (result.records() == 0) {
            throw told;
        }
        context.note(told.getMessage() + "\n  " + told.remedy());
        return result;
    }

    private Map<String, Object> json(List<BenchResult> results) {
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("recordSize", recordBytes);
        settings.put("throughput", perSecond > 0 ? perSecond : null);
        settings.put("producers", producers);
        settings.put("consumers", consumers);
        settings.put("acks", acks);
        settings.put("compression", compression);
        settings.put("warmUpSeconds", warmUpSeconds);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("settings", settings);
        json.put("results", results.stream().map(BenchResult::json).toList());
        return json;
    }
}
