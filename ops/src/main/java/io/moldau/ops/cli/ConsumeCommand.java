package io.moldau.ops.cli;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau consume`: prints records.
@Command(
        name = "consume",
        description = {
            "Prints the records of a topic: new ones as they come, or older ones first.",
            "",
            "Where it begins, if nothing is said: with --exit or --group at the first record (of a group without"
                    + " offsets), else at the end."
        },
        footer = {
            "",
            "Examples:",
            "  moldau consume greetings --from-beginning",
            "  moldau consume orders -e -F '%%p:%%o %%T %%k=%%v %%h'",
            "  moldau consume orders --since -15m --json -n 100",
            "  moldau consume orders -p 3 --offset -10 -e",
            "  moldau consume orders -g billing-copy"
        })
final class ConsumeCommand implements Callable<Integer> {

    private static final Duration POLL = Duration.ofMillis(200);

    /// Where reading begins; one of them, or none.
    private static final class Begin {

        @Option(names = "--from-beginning", description = "At the first record that is left.")
        private boolean beginning;

        @Option(
                names = {"-o", "--offset"},
                paramLabel = "N",
                description = "At this offset of every partition; -10 is the tenth before the end.")
        private @Nullable Long offset;

        @Option(
                names = {"-s", "--since"},
                paramLabel = "TIME",
                description = "At the first record that is not older: milliseconds since 1970, 2026-11-30T14:00:00Z,"
                        + " or -15m for a quarter of an hour ago.")
        private @Nullable String since;
    }

    private final ToolContext context;

    @Parameters(paramLabel = "TOPIC", description = "The topic.")
    private String topic = "";

    @ArgGroup
    private @Nullable Begin begin;

    @Option(
            names = {"-p", "--partition"},
            paramLabel = "N",
            description = "Only this partition; may be repeated.")
    private List<Integer> only = List.of();

    @Option(
            names = {"-g", "--group"},
            paramLabel = "GROUP",
            description = "Read as a member of this group, and commit what was printed.")
    private @Nullable String group;

    @Option(
            names = {"-n", "--max-messages"},
            paramLabel = "N",
            description = "Stop after so many records.")
    private @Nullable Long most;

    @Option(
            names = {"-e", "--exit"},
            description = "Stop at what is the end when the command starts.")
    private boolean exitAtEnd;

    @Option(
            names = {"-F", "--format"},
            paramLabel = "FORMAT",
            defaultValue = "%v",
            description = "How a record is printed: %%k key, %%v value, %%o offset, %%p partition, %%t topic, %%T"
                    + " timestamp, %%h headers (default: %%v).")
    private String format = "%v";

    @Mixin
    private final ClusterOptions options = new ClusterOptions();

    ConsumeCommand(ToolContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        if (group != null && (begin != null || !only.isEmpty())) {
            throw new ToolException(
                    "A member of group " + group + " reads where the group stands, in partitions it is given.",
                    "Leave the place and the partitions away, or move the group with 'moldau groups reset-offsets'.");
        }
        var written = new RecordFormat(format);
        Properties properties = properties();
        try (Consumer<byte[], byte[]> consumer = context.clients().consumer(properties);
                var _ = context.machine().onStop(consumer::wakeup)) {
            List<TopicPartition> all = partitions(consumer);
            if (group == null) {
                consumer.assign(all);
                place(consumer, all);
            } else {
                consumer.subscribe(Set.of(topic));
            }
            read(consumer, exitAtEnd ? consumer.endOffsets(all) : Map.of(), written);
            if (group != null) {
                consumer.commitSync();
            }
        } catch (WakeupException e) {
            return ClusterCommand.DONE;
        } catch (KafkaException e) {
            throw Bootstrap.calls(properties, context.machine()).explained("records of topic " + topic, e);
        }
        return ClusterCommand.DONE;
    }

    private Properties properties() {
        Properties properties = options.properties();
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, exitAtEnd || group != null ? "earliest" : "latest");
        String member = group;
        if (member != null) {
            properties.put(ConsumerConfig.GROUP_ID_CONFIG, member);
        }
        return properties;
    }

    private List<TopicPartition> partitions(Consumer<byte[], byte[]> consumer) {
        List<PartitionInfo> there = consumer.partitionsFor(topic);
        if (there == null || there.isEmpty()) {
            throw new ToolException(
                    "There is no topic " + topic + ".",
                    "'moldau topics list --internal' shows the names of all topics.");
        }
        Set<Integer> numbers = Set.copyOf(only);
        List<TopicPartition> chosen = there.stream()
                .map(PartitionInfo::partition)
                .filter(number -> numbers.isEmpty() || numbers.contains(number))
                .sorted()
                .map(number -> new TopicPartition(topic, number))
                .toList();
        if (chosen.size() < numbers.size()) {
            throw new ToolException(
                    "Topic " + topic + " does not have all of the partitions " + only + ".",
                    "It has 0 to " + (there.size() - 1) + ".");
        }
        return chosen;
    }

    private void place(Consumer<byte[], byte[]> consumer, List<TopicPartition> partitions) {
        Begin from = begin;
        if (from == null) {
            if (exitAtEnd) {
                consumer.seekToBeginning(partitions);
            } else {
                consumer.seekToEnd(partitions);
            }
            return;
        }
        String since = from.since;
        Long offset = from.offset;
        if (since != null) {
            long timestamp = Given.timestamp(since, context.time().milliseconds());
            Map<TopicPartition, Long> wanted = new HashMap<>();
            partitions.forEach(partition -> wanted.put(partition, timestamp));
            Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(wanted);
            for (TopicPartition partition : partitions) {
                OffsetAndTimestamp first = found.get(partition);
                if (first == null) {
                    consumer.seekToEnd(List.of(partition));
                } else {
                    consumer.seek(partition, first.offset());
                }
            }
        } else if (offset != null) {
            Map<TopicPartition, Long> starts = consumer.beginningOffsets(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            for (TopicPartition partition : partitions) {
                long start = starts.getOrDefault(partition, 0L);
                long end = ends.getOrDefault(partition, start);
                consumer.seek(partition, Math.clamp(offset < 0 ? end + offset : offset, start, end));
            }
        } else {
            consumer.seekToBeginning(partitions);
        }
    }

    private void read(Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends, RecordFormat written) {
        long left = most == null ? Long.MAX_VALUE : most;
        while (left > 0 && !(exitAtEnd && isAtEnd(consumer, ends))) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
            long before = left;
            Map<TopicPartition, Long> printed = new LinkedHashMap<>();
            for (ConsumerRecord<byte[], byte[]> record : records) {
                var partition = new TopicPartition(record.topic(), record.partition());
                if (left == 0 || (exitAtEnd && record.offset() >= ends.getOrDefault(partition, Long.MAX_VALUE))) {
                    continue;
                }
                context.out().println(options.json() ? RecordFormat.json(record) : written.of(record));
                left--;
                printed.put(partition, record.offset() + 1);
            }
            context.out().flush();
            if (before - left < records.count()) {
                // What came and was not printed is not committed either.
                rewind(consumer, records.partitions(), printed, records);
            }
            if (group != null && !printed.isEmpty()) {
                consumer.commitSync();
            }
        }
    }

    private static void rewind(
            Consumer<byte[], byte[]> consumer,
            Collection<TopicPartition> partitions,
            Map<TopicPartition, Long> printed,
            ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition partition : partitions) {
            consumer.seek(
                    partition,
                    printed.getOrDefault(
                            partition, records.records(partition).getFirst().offset()));
        }
    }

    private static boolean isAtEnd(Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
        Set<TopicPartition> assigned = consumer.assignment();
        return !assigned.isEmpty()
                && assigned.stream()
                        .allMatch(partition -> consumer.position(partition) >= ends.getOrDefault(partition, 0L));
    }
}
