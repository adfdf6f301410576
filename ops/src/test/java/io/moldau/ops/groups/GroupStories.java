package io.moldau.ops.groups;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.node.NodeProcess;
import io.moldau.ops.reference.ReferenceNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/// Tells stories to a node of the reference and to one of Moldau, all at once and each about a
/// group of its own name, and compares what they heard. There are topics `t` and `u` with one
/// partition and `w` with four.
final class GroupStories {

    private static final String ENDED_EARLY = "the story ended early";
    private static final Duration ALL_STORIES = Duration.ofSeconds(200);

    private GroupStories() {}

    static void compare(Path folder, Map<String, Consumer<GroupTalk>> stories, List<String> settings) throws Exception {
        Map<String, List<String>> theirs;
        try (var node = ReferenceNode.start(Files.createDirectory(folder.resolve("reference")), settings)) {
            theirs = tell(node.bootstrap(), stories);
        }
        Map<String, List<String>> ours;
        try (var node = NodeProcess.start(folder.resolve("ours").resolve("data"), settings.toArray(String[]::new))) {
            ours = tell(node.bootstrap(), stories);
            node.stop();
        }
        writeDown(theirs, "group-stories-reference.txt");
        writeDown(ours, "group-stories.txt");
        var differences = new ArrayList<String>();
        for (String story : stories.keySet()) {
            compare(story, theirs.getOrDefault(story, List.of()), ours.getOrDefault(story, List.of()), differences);
        }
        assertThat(differences).isEmpty();
    }

    /// For whoever wants to read them.
    private static void writeDown(Map<String, List<String>> told, String file) throws Exception {
        var text = new ArrayList<String>();
        told.forEach((story, lines) -> {
            text.add("");
            text.add(story);
            lines.forEach(line -> text.add("  " + line));
        });
        Files.write(Files.createDirectories(Path.of("target")).resolve(file), text);
    }

    private static void compare(String story, List<String> theirs, List<String> ours, List<String> differences) {
        for (int i = 0; i < Math.max(theirs.size(), ours.size()); i++) {
            String their = i < theirs.size() ? theirs.get(i) : "nothing";
            String own = i < ours.size() ? ours.get(i) : "nothing";
            if (!their.equals(own) || their.startsWith(ENDED_EARLY)) {
                differences.add("%s, line %d%n  reference: %s%n  Moldau:    %s%n".formatted(story, i + 1, their, own));
            }
        }
    }

    private static Map<String, List<String>> tell(String bootstrap, Map<String, Consumer<GroupTalk>> stories)
            throws Exception {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(Set.of(
                            new NewTopic("t", 1, (short) 1),
                            new NewTopic("u", 1, (short) 1),
                            new NewTopic("w", 4, (short) 1)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            // Makes the offsets topic, and waits until the coordinators of all stories serve.
            for (String story : stories.keySet()) {
                admin.listConsumerGroupOffsets(story).all().get(30, TimeUnit.SECONDS);
            }
        }
        var told = new LinkedHashMap<String, List<String>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var running = new LinkedHashMap<String, Future<List<String>>>();
            stories.forEach((name, story) -> running.put(name, threads.submit((Callable<List<String>>) () -> {
                try (var it = new GroupTalk(bootstrap, name)) {
                    try {
                        story.accept(it);
                    } catch (RuntimeException | AssertionError e) {
                        it.tell(ENDED_EARLY, 0, e.toString());
                    }
                    return it.lines();
                }
            })));
            for (var story : running.entrySet()) {
                told.put(story.getKey(), story.getValue().get(ALL_STORIES.toSeconds(), TimeUnit.SECONDS));
            }
        }
        return told;
    }
}
