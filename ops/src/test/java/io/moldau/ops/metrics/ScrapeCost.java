package io.moldau.ops.metrics;

import com.sun.management.OperatingSystemMXBean;
import io.moldau.broker.NodeServices;
import io.moldau.broker.config.NodeConfig;
import io.moldau.ops.AdministeredNode;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/// What a scrape costs: a node in this process with so many partitions (10,000), scraped so often (40), over HTTP.
/// A program, not a test: its figures are the machine's.
final class ScrapeCost {

    private static final int PER_TOPIC = 100;

    private ScrapeCost() {}

    /// @param words partitions, scrapes
    public static void main(String[] words) throws IOException, InterruptedException, ExecutionException {
        int partitions = words.length > 0 ? Integer.parseInt(words[0]) : 10_000;
        int scrapes = words.length > 1 ? Integer.parseInt(words[1]) : 40;
        Path data = Files.createTempDirectory("scrape-cost");
        var config = NodeConfig.fromProperties(Map.of(
                "listeners", "PLAINTEXT://127.0.0.1:0",
                "admin.listener", "http://127.0.0.1:0",
                "log.dirs", data.toString()));
        try (var node = AdministeredNode.start(config, NodeServices.real(), "test")) {
            node.node().awaitReady(Duration.ofMinutes(1));
            create(node, partitions);
            scrape(String.valueOf(node.adminUrl()), scrapes);
        }
    }

    private static void create(AdministeredNode node, int partitions) throws ExecutionException, InterruptedException {
        try (var admin = Admin.create(Map.of("bootstrap.servers", ScrapeTest.bootstrap(node)))) {
            List<NewTopic> topics = new ArrayList<>();
            for (int i = 0; i < partitions / PER_TOPIC; i++) {
                topics.add(new NewTopic("topic-" + i, PER_TOPIC, (short) 1));
            }
            admin.createTopics(topics).all().get();
        }
    }

    private static void scrape(String url, int scrapes) throws IOException {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long[] micros = new long[scrapes];
        long[] cpuMicros = new long[scrapes];
        long bytes = 0;
        for (int i = 0; i < scrapes; i++) {
            long cpu = system.getProcessCpuTime();
            long began = System.nanoTime();
            try (var in = URI.create(url + "/metrics").toURL().openStream()) {
                bytes = in.readAllBytes().length;
            }
            micros[i] = (System.nanoTime() - began) / 1000;
            cpuMicros[i] = (system.getProcessCpuTime() - cpu) / 1000;
        }
        System.out.printf("bytes %d, first %.1f ms%n", bytes, micros[0] / 1e3);
        long[] warm = Arrays.copyOfRange(micros, scrapes / 2, scrapes);
        long[] warmCpu = Arrays.copyOfRange(cpuMicros, scrapes / 2, scrapes);
        Arrays.sort(warm);
        Arrays.sort(warmCpu);
        System.out.printf(
                "second half: median %.1f ms, greatest %.1f ms; processor time, with the client's: median %.1f ms%n",
                warm[warm.length / 2] / 1e3, warm[warm.length - 1] / 1e3, warmCpu[warmCpu.length / 2] / 1e3);
        System.out.println("all, in ms: "
                + IntStream.range(0, scrapes)
                        .mapToObj(i -> Long.toString(micros[i] / 1000))
                        .toList());
    }
}
