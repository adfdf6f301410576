package io.moldau.ops.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.chaos.Faults.Target;
import io.moldau.ops.chaos.cluster.Await;
import io.moldau.ops.chaos.cluster.ClusterProcesses;
import io.moldau.ops.chaos.cluster.Subject;
import io.moldau.ops.chaos.streams.StreamsInput;
import io.moldau.ops.chaos.streams.StreamsOutput;
import io.moldau.ops.chaos.streams.StreamsPrograms;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Kafka Streams with `exactly_once_v2`, in two instances, of which one is replaced, while brokers are killed. Every
/// count, join and sum comes out as if nothing had happened.
///
/// The options are those of [ChaosIT]; `-Dmoldau.chaos.rounds=N` asks for N kills.
class StreamsExactlyOnceIT {

    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final int PROGRESS = 100;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(ChaosOptions.SUBJECTS)
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void brokersAreKilled(Subject subject) throws Exception {
        long seed = ChaosOptions.seed();
        var random = new Random(seed);
        try (var cluster = ClusterProcesses.start(CoordinatorFaults.plan(subject, folder));
                var input = new StreamsInput(
                        cluster.bootstrap(),
                        seed,
                        System.currentTimeMillis() - Duration.ofHours(12).toMillis())) {
            var topics = new ArrayList<>(StreamsPrograms.TOPICS.keySet());
            for (var topic : topics) {
                int partitions = StreamsPrograms.TOPICS.getOrDefault(topic, 1);
                cluster.view().createTopic(topic, partitions, Map.of("min.insync.replicas", "2"));
            }
            cluster.await("leaders", PATIENCE, () -> cluster.view().allInSync(topics));
            input.sendUsers();
            input.start();
            int kills = ChaosOptions.rounds(3);
            var programs = new ArrayList<StreamsPrograms>();
            try {
                programs.add(new StreamsPrograms(cluster.bootstrap(), "first", folder));
                programs.add(new StreamsPrograms(cluster.bootstrap(), "second", folder));
                programs.forEach(StreamsPrograms::awaitRunning);
                var faults = new Faults(cluster, StreamsPrograms.COUNTS, random);
                for (int kill = 0; kill < kills; kill++) {
                    var target = List.of(Target.BUSIEST, Target.ACTIVE_CONTROLLER, Target.ANY)
                            .get(kill % 3);
                    strike(cluster, faults.kill(faults.choose(target)));
                    if (kill % 5 == 1) {
                        programs.removeFirst().close();
                        programs.add(new StreamsPrograms(cluster.bootstrap(), "instance-" + kill, folder));
                    }
                }
                awaitProgress(cluster);
                input.finish();
                Await.until(
                        "everything to be processed",
                        PATIENCE,
                        () -> StreamsOutput.read(cluster.bootstrap()).size() >= input.sent(),
                        () -> StreamsOutput.read(cluster.bootstrap()).size() + " of " + input.sent() + "\n"
                                + cluster.words());
            } finally {
                programs.forEach(StreamsPrograms::close);
            }
            var output = StreamsOutput.read(cluster.bootstrap());
            System.out.printf(
                    "STREAMS %s: seed %d, %d kills, %d records in, %d out, %d threads replaced%n",
                    subject,
                    seed,
                    kills,
                    input.sent(),
                    output.size(),
                    programs.stream().mapToInt(StreamsPrograms::replacedThreads).sum());
            assertThat(output.differences(input)).as("%s", cluster.words()).isEmpty();
        }
    }

    /// The programs go on while a node is away, and when it is back.
    private static void strike(ClusterProcesses cluster, Fault fault) throws Exception {
        System.out.println("streams: " + fault.what());
        fault.begin().run();
        awaitProgress(cluster);
        fault.end().run();
        // Those of the topics that Streams has made as well.
        cluster.await(
                "replicas in sync",
                PATIENCE,
                () -> cluster.view()
                        .allInSync(cluster.view().admin().listTopics().names().get()));
    }

    private static void awaitProgress(ClusterProcesses cluster) {
        long before = StreamsOutput.read(cluster.bootstrap()).size();
        cluster.await(
                "Streams to go on",
                PATIENCE,
                () -> StreamsOutput.read(cluster.bootstrap()).size() > before + PROGRESS);
    }
}
