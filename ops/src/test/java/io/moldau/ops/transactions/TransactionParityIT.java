package io.moldau.ops.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.ReferenceNode;
import io.moldau.ops.transactions.TransactionTalk.Producer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A story of transactions in every version, told to Apache Kafka and to Moldau: every answer is the same, but for the
/// numbers of producers.
class TransactionParityIT {

    private static final List<String> SETTINGS = List.of(
            "offsets.topic.num.partitions=3",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.num.partitions=3",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1");

    @TempDir
    private Path folder;

    @Test
    void aStoryHasTheSameAnswers() throws Exception {
        List<String> theirs;
        try (var node = ReferenceNode.start(Files.createDirectory(folder.resolve("reference")), SETTINGS)) {
            theirs = tell(node.bootstrap());
        }
        List<String> ours;
        try (var node = NodeProcess.start(folder.resolve("ours").resolve("data"), SETTINGS.toArray(String[]::new))) {
            ours = tell(node.bootstrap());
            node.stop();
        }
        assertThat(ours).hasSizeGreaterThan(150).containsExactlyElementsOf(theirs);
    }

    private static List<String> tell(String bootstrap) throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
                var talk = new TransactionTalk(bootstrap)) {
            admin.createTopics(List.of(new NewTopic("t", 4, (short) 1))).all().get();
            talk.awaitCoordinators();
            whatIsWrongWithAProducer(talk);
            epochs(talk);
            nobodyKnows(talk);
            for (int version = 0; version <= 3; version++) {
                classicLife(talk, version);
            }
            newLife(talk);
            mixedLife(talk);
            lists(talk);
            return talk.lines();
        }
    }

    private static void whatIsWrongWithAProducer(TransactionTalk talk) {
        for (int version = 0; version <= 5; version++) {
            talk.init(version, "", 1_000, Producer.NONE);
            talk.init(version, "wrong", 0, Producer.NONE);
            talk.init(version, "wrong", -1, Producer.NONE);
            talk.init(version, "wrong", 900_001, Producer.NONE);
            if (version >= 3) {
                talk.init(version, "wrong", 1_000, new Producer(5, -1));
                talk.init(version, "wrong", 1_000, new Producer(-1, 5));
                talk.init(version, null, 1_000, new Producer(5, -1));
            }
        }
    }

    private static void epochs(TransactionTalk talk) {
        var producer = Producer.NONE;
        for (int version = 0; version <= 5; version++) {
            producer = talk.init(version, "e", 60_000, Producer.NONE);
        }
        talk.describe("e");
        talk.init(3, "e", 60_000, producer);
        talk.init(3, "e", 60_000, producer);
        talk.init(3, "e", 60_000, producer.in(producer.epoch() - 1));
        talk.init(4, "e", 60_000, producer.in(producer.epoch() - 1));
        talk.init(4, "e", 60_000, producer.other());
        talk.init(4, "e", 60_000, producer.in(producer.epoch() + 5));
        talk.init(5, "new", 60_000, producer.other());
    }

    private static void nobodyKnows(TransactionTalk talk) {
        var nobody = new Producer(1_000_000, 0);
        for (String id : List.of("none", "")) {
            for (int version = 0; version <= 5; version++) {
                if (version <= 3) {
                    talk.add(version, id, nobody, List.of("t"), 0);
                } else {
                    talk.addForClient(version, id, nobody, true, "t", 0);
                    talk.addForClient(version, id, nobody, false, "t", 0, 1);
                }
                if (version <= 4) {
                    talk.addOffsets(version, id, nobody);
                }
                talk.end(version, id, nobody, true);
            }
            talk.describe(id);
        }
    }

    private static void classicLife(TransactionTalk talk, int version) {
        String id = "classic" + version;
        var producer = talk.init(version, id, 60_000, Producer.NONE);
        talk.end(version, id, producer, true);
        talk.end(version, id, producer, false);
        talk.add(version, id, producer, List.of("t", "nowhere"), 0);
        talk.add(version, id, producer, List.of("t"), 0, 9);
        for (var wrong : List.of(producer.in(-1), producer.in(1), producer.other())) {
            talk.add(version, id, wrong, List.of("t"), 0);
        }
        talk.add(version, id, producer, List.of("t"), 0, 1);
        talk.describe(id);
        talk.add(version, id, producer, List.of("t"), 1);
        talk.addOffsets(version, id, producer);
        talk.addOffsets(version, id, producer.in(-1));
        talk.describe(id);
        for (var wrong : List.of(producer.in(-1), producer.in(1), producer.other())) {
            talk.end(version, id, wrong, true);
        }
        talk.end(version, id, producer, version % 2 == 0);
        talk.settle(id);
        talk.end(version, id, producer, true);
        talk.end(version, id, producer, false);
        talk.add(version, id, producer, List.of("t"), 2);
        talk.initAfterAll(version, id, 50_000);
        talk.end(version, id, producer, true);
        talk.add(version, id, producer, List.of("t"), 2);
        talk.describe(id);
    }

    private static void newLife(TransactionTalk talk) {
        var first = talk.init(5, "n", 60_000, Producer.NONE);
        talk.end(5, "n", first, true);
        var second = talk.end(5, "n", first, false);
        talk.settle("n");
        talk.end(5, "n", first, false);
        talk.end(5, "n", first, true);

        for (int version = 4; version <= 5; version++) {
            talk.addForClient(version, "n", second, true, "t", 0);
        }
        talk.addForClient(5, "n", second, false, "t", 0, 1);
        talk.addForClient(5, "n", second, true, "t", 0, 2);
        talk.addForClient(5, "n", first, true, "t", 0, 2);
        talk.addForClient(5, "n", second, false, "nowhere", 0);
        talk.describe("n");
        talk.end(5, "n", first, true);
        talk.end(5, "n", second.in(second.epoch() + 1), true);
        var third = talk.end(5, "n", second, true);
        talk.settle("n");
        talk.end(5, "n", second, true);
        talk.end(5, "n", second, false);
        talk.end(5, "n", third, true);
        var fourth = talk.end(5, "n", third, false);
        talk.settle("n");

        talk.addForClient(5, "n", fourth, false, "t", 3);
        talk.init(5, "n", 60_000, third);
        talk.settle("n");
        talk.init(5, "n", 60_000, fourth);
        talk.init(5, "n", 60_000, fourth);
        talk.init(5, "n", 60_000, Producer.NONE);
        talk.init(5, "n", 60_000, fourth);
    }

    /// A client that cannot make up its mind.
    private static void mixedLife(TransactionTalk talk) {
        var first = talk.init(5, "m", 60_000, Producer.NONE);
        talk.addForClient(5, "m", first, false, "t", 0);
        talk.end(4, "m", first, true);
        talk.settle("m");
        talk.add(3, "m", first, List.of("t"), 1);
        var second = talk.end(5, "m", first, false);
        talk.settle("m");
        talk.end(4, "m", first, false);
        talk.end(4, "m", second, false);
        talk.end(4, "m", second, true);
        talk.addOffsets(4, "m", second);
        talk.end(5, "m", second, true);
        talk.settle("m");
        talk.init(5, "m", 60_000, second);
    }

    private static void lists(TransactionTalk talk) {
        var open = talk.init(5, "open", 60_000, Producer.NONE);
        talk.add(3, "open", open, List.of("t"), 0);
        talk.list(0, List.of(), -1, null);
        talk.list(0, List.of("Ongoing"), -1, null);
        talk.list(0, List.of("Ongoing", "nonsense", "empty"), -1, null);
        talk.list(0, List.of("nonsense"), -1, null);
        talk.list(0, List.of("Dead", "PrepareEpochFence"), -1, null);
        talk.list(1, List.of(), 1_000_000, null);
        talk.list(2, List.of(), -1, "classic");
        talk.list(2, List.of(), -1, "classic.*");
        talk.list(2, List.of(), -1, "");
        talk.list(2, List.of(), -1, "(");
    }
}
