package io.moldau.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.config.ConfigKey;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.Test;

/// Our keys against the reference's: names, types, defaults, importance and update mode, from lists
/// that were taken from Apache Kafka 4.4.0 itself.
class ReferenceKeysTest {

    /// Defaults that differ on purpose: a node without any settings starts, and listens on loopback only.
    private static final Map<String, String> OTHER_DEFAULTS = Map.of(
            "process.roles", "broker,controller",
            "node.id", "1",
            "controller.listener.names", "CONTROLLER",
            "log.dir", "data",
            // The kernel knows better how much a connection needs.
            "socket.receive.buffer.bytes", "-1",
            "socket.send.buffer.bytes", "-1",
            "listeners", "PLAINTEXT://localhost:9092,CONTROLLER://127.0.0.1:9093",
            // The same pairs in another order.
            "listener.security.protocol.map",
                    "PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL");

    /// Keys the reference changes while it runs, and this release at its start only.
    private static final Set<String> READ_ONLY_HERE = Set.of(
            "num.network.threads",
            "max.connections",
            "max.connections.per.ip",
            "max.connections.per.ip.overrides",
            "background.threads",
            "num.recovery.threads.per.data.dir",
            "listeners",
            "listener.security.protocol.map",
            "max.decompressed.message.bytes");

    @Test
    void brokerKeysAreThoseOfTheReference() {
        List<String> expected = lines("broker-keys.tsv")
                .map(fields -> {
                    String name = fields[0];
                    String value = OTHER_DEFAULTS.getOrDefault(name, fields[2]);
                    String update = READ_ONLY_HERE.contains(name) ? "read-only" : fields[6];
                    return line(name, fields[1], value, fields[4], fields[5]) + " " + update;
                })
                .toList();
        List<String> ours = BrokerConfigKeys.AREAS.stream()
                .filter(area -> area.keys() != MoldauKeys.ALL)
                .flatMap(area -> area.keys().stream())
                .map(known -> line(known) + " " + known.update().text())
                .toList();
        assertThat(ours).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void topicKeysAreThoseOfTheReference() {
        assertThat(TopicConfigKeys.ALL.stream()
                        .filter(known -> !known.name().startsWith("moldau."))
                        .map(ReferenceKeysTest::line))
                .containsExactlyInAnyOrderElementsOf(lines("topic-keys.tsv")
                        .map(fields -> line(fields[0], fields[1], fields[2], fields[4], fields[5]))
                        .toList());
    }

    @Test
    void groupKeysAreThoseOfTheReference() {
        assertThat(GroupConfigKeys.ALL.stream().map(ReferenceKeysTest::line))
                .containsExactlyInAnyOrderElementsOf(lines("group-keys.tsv")
                        .map(fields -> line(fields[0], fields[1], fields[2], fields[4], fields[5]))
                        .toList());
    }

    @Test
    void everyTopicKeyOfTheClientLibraryIsKnown() throws IllegalAccessException {
        Set<String> names = new TreeSet<>();
        for (var field : TopicConfig.class.getFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getName().endsWith("_CONFIG")) {
                names.add((String) Objects.requireNonNull(field.get(null)));
            }
        }
        // Named by the library still, and known to no broker any more.
        names.remove("message.downconversion.enable");
        assertThat(names).isNotEmpty();
        assertThat(TopicConfigKeys.SCHEMA.keys().stream().map(ConfigKey::name)).containsAll(names);
    }

    @Test
    void everyStandInOfATopicKeyIsABrokerKeyOfTheSameKind() {
        for (KnownKey known : TopicConfigKeys.ALL) {
            for (String name : known.key().synonyms()) {
                assertThat(BrokerConfigKeys.find(name)).as(name).isNotNull();
            }
        }
    }

    @Test
    void everyKeyIsDocumentedInOneOrTwoSentences() {
        for (BrokerConfigKeys.Area area : BrokerConfigKeys.AREAS) {
            for (KnownKey known : area.keys()) {
                assertThat(known.key().documentation())
                        .as(known.name())
                        .isNotBlank()
                        .endsWith(".")
                        .hasSizeLessThan(320);
            }
        }
    }

    private static String line(KnownKey known) {
        ConfigKey<?> key = known.key();
        String text = key.defaultText();
        return line(
                key.name(),
                key.type().kind().name(),
                text == null ? "<unset>" : text,
                key.importance().name(),
                key.isHidden() ? "hidden" : "shown");
    }

    private static String line(String name, String type, String value, String importance, String shown) {
        return String.join(" ", name, type, "[" + value + "]", importance, shown);
    }

    private static Stream<String[]> lines(String resource) {
        List<String[]> lines = new ArrayList<>();
        try (var in = Objects.requireNonNull(ReferenceKeysTest.class.getResourceAsStream("/reference/" + resource));
                var reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line : reader.lines().collect(Collectors.toList())) {
                if (!line.startsWith("#")) {
                    lines.add(line.split("\t", -1));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(lines).as(Arrays.toString(new String[] {resource})).isNotEmpty();
        return lines.stream();
    }
}
