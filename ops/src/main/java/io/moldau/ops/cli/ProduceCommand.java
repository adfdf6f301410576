package io.moldau.ops.cli;

import io.moldau.ops.report.Words;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau produce`: a record from each line.
@Command(
        name = "produce",
        description = {
            "Writes a record from each line of standard input, or of a file, and says how many were acknowledged.",
            "",
            "Every failure makes the exit status 1."
        },
        footer = {
            "",
            "Examples:",
            "  echo hello | moldau produce greetings",
            "  moldau produce orders -k : -H source=import -f orders.txt --compression zstd"
        })
final class ProduceCommand implements Callable<Integer> {

    /// How long records wait for others of their batch.
    private static final int LINGER_MS = 5;

    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final ToolContext context;

    @Parameters(paramLabel = "TOPIC", description = "The topic.")
    private String topic = "";

    @Option(
            names = {"-k", "--key-separator"},
            paramLabel = "TEXT",
            description = "What stands between key and value; a line without it has no key.")
    private @Nullable String keySeparator;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "KEY=VALUE",
            description = "A header of every record; may be repeated.")
    private Map<String, String> headers = Map.of();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Read lines of a file.")
    private @Nullable Path file;

    @Option(
            names = {"-p", "--partition"},
            paramLabel = "N",
            description = "The partition (default: by the key).")
    private @Nullable Integer partition;

    @Option(
            names = "--acks",
            paramLabel = "ACKS",
            defaultValue = "all",
            description = "Who has a record before it is acknowledged: all in-sync replicas, 1 for the leader, 0 for"
                    + " nobody (default: ${DEFAULT-VALUE}).")
    private String acks = "all";

    @Option(
            names = {"-z", "--compression"},
            paramLabel = "CODEC",
            defaultValue = "none",
            description = "none, gzip, snappy, lz4 or zstd (default: ${DEFAULT-VALUE}).")
    private String compression = "none";

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    ProduceCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        Properties properties = properties();
        var outcome = new Outcome();
        try (BufferedReader lines = open();
                Producer<byte[], byte[]> producer = context.clients().producer(properties)) {
            send(lines, producer, outcome);
        } catch (IOException e) {
            throw new ToolException(
                    "The lines cannot be read: " + e.getMessage() + ".",
                    "Lines must be UTF-8 text. " + outcome.acknowledged() + " records were acknowledged before.");
        } catch (KafkaException e) {
            throw Bootstrap.calls(properties, context.machine()).explained("records of topic " + topic, e);
        }
        Exception failure = outcome.firstFailure();
        if (failure != null) {
            ToolException told =
                    Bootstrap.calls(properties, context.machine()).explained("records of topic " + topic, failure);
            throw new ToolException(
                    outcome.failed() + " of " + (outcome.failed() + outcome.acknowledged())
                            + " records were not acknowledged. " + told.getMessage(),
                    told.remedy());
        }
        context.print(options.json(), outcome.json(topic), outcome.text(topic));
        return ClusterCommand.DONE;
    }

    private Properties properties() {
        Properties properties = options.properties();
        long timeoutMs = Bootstrap.calls(properties, context.machine()).timeoutMs();
        properties.put(ProducerConfig.ACKS_CONFIG, acks);
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, Boolean.toString(acks.equals("all")));
        properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, compression);
        properties.put(ProducerConfig.LINGER_MS_CONFIG, Integer.toString(LINGER_MS));
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.toString(timeoutMs));
        properties.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Long.toString(timeoutMs + LINGER_MS));
        return properties;
    }

    private BufferedReader open() throws IOException {
        Path from = file;
        try {
            InputStream in = from == null ? context.in() : Files.newInputStream(from);
            return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8.newDecoder()));
        } catch (IOException e) {
            throw new ToolException("The file " + from + " cannot be read: " + e + ".", "Name a readable file.");
        }
    }

    private void send(BufferedReader lines, Producer<byte[], byte[]> producer, Outcome outcome) throws IOException {
        List<Header> all = new ArrayList<>();
        headers.forEach((name, value) -> all.add(new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8))));
        long toldNanos = context.time().nanoseconds();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (outcome.firstFailure() != null) {
                break;
            }
            producer.send(record(line, all), outcome::completed);
            if (context.time().nanoseconds() - toldNanos > PROGRESS_NANOS) {
                toldNanos = context.time().nanoseconds();
                context.note(outcome.acknowledged() + " records acknowledged so far");
            }
        }
        producer.flush();
    }

    private ProducerRecord<byte[], byte[]> record(String line, List<Header> all) {
        String separator = keySeparator;
        int at = separator == null ? -1 : line.indexOf(separator);
        byte[] key = at < 0 ? null : line.substring(0, at).getBytes(StandardCharsets.UTF_8);
        String value = separator == null || at < 0 ? line : line.substring(at + separator.length());
        return new ProducerRecord<>(topic, partition, key, value.getBytes(StandardCharsets.UTF_8), all);
    }

    /// What became of the records. The client's thread tells, the command's reads.
    private static final class Outcome {

        private long acknowledged;
        private long failed;
        private @Nullable Exception firstFailure;
        private final Map<Integer, long[]> offsets = new TreeMap<>();

        synchronized void completed(@Nullable RecordMetadata record, @Nullable Exception failure) {
            if (failure != null) {
                failed++;
                firstFailure = firstFailure == null ? failure : firstFailure;
                return;
            }
            acknowledged++;
            // With acks=0 nobody tells the offset.
            if (record != null && record.hasOffset()) {
                long[] range =
                        offsets.computeIfAbsent(record.partition(), _ -> new long[] {record.offset(), record.offset()});
                range[0] = Math.min(range[0], record.offset());
                range[1] = Math.max(range[1], record.offset());
            }
        }

        synchronized long acknowledged() {
            return acknowledged;
        }

        synchronized long failed() {
            return failed;
        }

        synchronized @Nullable Exception firstFailure() {
            return firstFailure;
        }

        synchronized String text(String topic) {
            var text = new StringBuilder(Words.count(acknowledged, "record") + " acknowledged in topic " + topic);
            String separator = ": ";
            for (var entry : offsets.entrySet()) {
                long first = entry.getValue()[0];
                long last = entry.getValue()[1];
                text.append(separator)
                        .append("partition ")
                        .append(entry.getKey())
                        .append(first == last ? " offset " + first : " offsets " + first + " to " + last);
                separator = ", ";
            }
            return text.append('.').toString();
        }

        synchronized Map<String, Object> json(String topic) {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("topic", topic);
            json.put("acknowledged", acknowledged);
            json.put(
                    "partitions",
                    offsets.entrySet().stream()
                            .map(entry -> {
                                Map<String, Object> one = new LinkedHashMap<>();
                                one.put("partition", entry.getKey());
                                one.put("firstOffset", entry.getValue()[0]);
                                one.put("lastOffset", entry.getValue()[1]);
                                return one;
                            })
                            .toList());
            return json;
        }
    }
}
