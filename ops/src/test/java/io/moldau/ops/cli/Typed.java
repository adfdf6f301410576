package io.moldau.ops.cli;

import io.moldau.common.time.Time;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Command lines as somebody types them, a million milliseconds after 1970. Words are apart by
/// blanks; one with blanks stands in apostrophes.
final class Typed {

    static final long NOW_MS = 1_000_000;

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    private static final Time NOW = new Time() {
        @Override
        public long milliseconds() {
            return NOW_MS;
        }

        @Override
        public long nanoseconds() {
            return 0;
        }
    };

    final FakeMachine machine = new FakeMachine();
    final Properties client = new Properties();
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    private final StringWriter out = new StringWriter();
    private final StringWriter error = new StringWriter();
    private final Cluster cluster;
    private String input = "";

    Typed(Cluster cluster) {
        this.cluster = cluster;
    }

    Typed input(String text) {
        input = text;
        return this;
    }

    int run(String line) {
        var notes = new PrintWriter(error, true);
        var clients = new Clients() {
            @Override
            public Producer<byte[], byte[]> producer(Properties properties) {
                client.putAll(properties);
                return producer;
            }

            @Override
            public Consumer<byte[], byte[]> consumer(Properties properties) {
                client.putAll(properties);
                return consumer;
            }
        };
        var context = new ToolContext(
                new PrintWriter(out),
                notes,
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                NOW,
                properties -> {
                    client.putAll(properties);
                    return cluster;
                },
                clients,
                machine);
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(line);
        while (matcher.find()) {
            words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
        }
        return Tool.commands(context)
                .setOut(new PrintWriter(out, true))
                .setErr(notes)
                .execute(words.toArray(String[]::new));
    }

    /// What was printed since the last look.
    String out() {
        return taken(out);
    }

    String error() {
        return taken(error);
    }

    private static String taken(StringWriter from) {
        String text = from.toString();
        from.getBuffer().setLength(0);
        return text;
    }
}
