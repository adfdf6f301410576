package io.moldau.broker.coordinator.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.common.Errors;
import io.moldau.wire.message.JoinGroupResponseData;
import io.moldau.wire.message.SyncGroupResponseData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Every request in every state of a classic group, as a table that is read as a whole: the answer, and the state the
/// group is in afterwards.
///
/// `-Dmoldau.scenarios.write=true` writes the table anew, for review as a diff.
class StateTableTest {

    private static final String TABLE = "/scenarios/classic-group-states.txt";

    /// A group of a leader and a follower in some state, with its generation.
    private static final class Scene {
        private final GroupHarness it = new GroupHarness();
        private String leader = "gone";
        private String follower = "gone";
        private int generation = 1;

        private String state() {
            var group = it.shard().group(GroupHarness.GROUP);
            return group == null ? "-" : group.state().toString();
        }
    }

    private static Scene stable() {
        var scene = new Scene();
        var ids = scene.it.stableGroup(2);
        scene.leader = ids.get(0);
        scene.follower = ids.get(1);
        return scene;
    }

    private static Scene preparing() {
        var scene = stable();
        scene.it.join(scene.it.join("").get().memberId());
        return scene;
    }

    private static Scene completing() {
        var scene = stable();
        scene.it.join(scene.leader);
        scene.it.join(scene.follower);
        scene.generation = 2;
        return scene;
    }

    private static Scene empty() {
        var scene = stable();
        scene.it.leave(scene.follower);
        scene.it.leave(scene.leader);
        scene.generation = scene.it.group().generationId();
        return scene;
    }

    private static Scene simple() {
        var scene = new Scene();
        scene.it.commitError("", -1);
        return scene;
    }

    private static final Map<String, java.util.function.Supplier<Scene>> STATES = new LinkedHashMap<>();

    static {
        STATES.put("no group", Scene::new);
        STATES.put("simple", StateTableTest::simple);
        STATES.put("Empty", StateTableTest::empty);
        STATES.put("Preparing", StateTableTest::preparing);
        STATES.put("Completing", StateTableTest::completing);
        STATES.put("Stable", StateTableTest::stable);
    }

    private static String of(Answer<JoinGroupResponseData> join) {
        return join.isThere() ? Errors.forCode(join.get().errorCode()).toString() : "held";
    }

    private static String ofSync(Answer<SyncGroupResponseData> sync) {
        return sync.isThere() ? Errors.forCode(sync.get().errorCode()).toString() : "held";
    }

    private static final Map<String, Function<Scene, String>> REQUESTS = new LinkedHashMap<>();

    static {
        REQUESTS.put("join, no id, v3", scene -> of(scene.it.join(scene.it.joinRequest(""), 3)));
        REQUESTS.put("join, no id, v9", scene -> of(scene.it.join("")));
        REQUESTS.put(
                "join, no id, static",
                scene -> of(scene.it.join(scene.it.joinRequest("").setGroupInstanceId("i"), 9)));
        REQUESTS.put("join, leader", scene -> of(scene.it.join(scene.leader)));
        REQUESTS.put("join, follower", scene -> of(scene.it.join(scene.follower)));
        REQUESTS.put(
                "join, follower, changed",
                scene -> of(scene.it.join(
                        scene.it
                                .joinRequest(scene.follower)
                                .setProtocols(List.of(GroupHarness.protocol("range", "changed"))),
                        9)));
        REQUESTS.put("join, unknown id", scene -> of(scene.it.join("nobody")));
        REQUESTS.put(
                "join, id of another instance",
                scene -> of(scene.it.join(scene.it.joinRequest(scene.follower).setGroupInstanceId("i"), 9)));
        REQUESTS.put(
                "join, other protocol",
                scene -> of(scene.it.join(
                        scene.it.joinRequest("").setProtocols(List.of(GroupHarness.protocol("sticky", "m"))), 9)));
        REQUESTS.put("sync, leader", scene -> ofSync(scene.it.sync(scene.leader, scene.generation, Map.of())));
        REQUESTS.put("sync, follower", scene -> ofSync(scene.it.sync(scene.follower, scene.generation, Map.of())));
        REQUESTS.put(
                "sync, old generation", scene -> ofSync(scene.it.sync(scene.leader, scene.generation - 1, Map.of())));
        REQUESTS.put("sync, unknown id", scene -> ofSync(scene.it.sync("nobody", scene.generation, Map.of())));
        REQUESTS.put(
                "heartbeat",
                scene -> scene.it.heartbeat(scene.follower, scene.generation).toString());
        REQUESTS.put(
                "heartbeat, old generation",
                scene ->
                        scene.it.heartbeat(scene.follower, scene.generation - 1).toString());
        REQUESTS.put(
                "heartbeat, unknown id",
                scene -> scene.it.heartbeat("nobody", scene.generation).toString());
        REQUESTS.put("leave, follower", scene -> ofLeave(scene, scene.follower));
        REQUESTS.put("leave, unknown id", scene -> ofLeave(scene, "nobody"));
        REQUESTS.put(
                "commit, member",
                scene -> scene.it.commitError(scene.follower, scene.generation).toString());
        REQUESTS.put(
                "commit, old generation",
                scene -> scene.it
                        .commitError(scene.follower, scene.generation - 1)
                        .toString());
        REQUESTS.put(
                "commit, unknown id",
                scene -> scene.it.commitError("nobody", scene.generation).toString());
        REQUESTS.put("commit, outsider", scene -> scene.it.commitError("", -1).toString());
        REQUESTS.put("delete offsets, read topic", scene -> ofDeletion(scene, "m"));
        REQUESTS.put("delete offsets, other topic", scene -> ofDeletion(scene, "t"));
        REQUESTS.put("delete group", scene -> scene.it.deleteGroup().toString());
        REQUESTS.put("describe, v6", scene -> {
            var group = scene.it.shard().describer().classic(GroupHarness.GROUP, true);
            return Errors.forCode(group.errorCode()) + " " + group.groupState() + " "
                    + group.protocolType() + "/" + group.protocolData() + " members="
                    + group.members().size();
        });
    }

    private static String ofLeave(Scene scene, String memberId) {
        var answer = scene.it.leave(memberId).get();
        return Errors.forCode(answer.members().getFirst().errorCode()).toString();
    }

    private static String ofDeletion(Scene scene, String topic) {
        var answer = scene.it.deleteOffsets(topic, 0).get();
        return answer.errorCode() != 0
                ? Errors.forCode(answer.errorCode()) + " for the group"
                : Errors.forCode(answer.topics()
                                .getFirst()
                                .partitions()
                                .getFirst()
                                .errorCode())
                        .toString();
    }

    private static String table() {
        var table = new StringBuilder("# request | state before | answer | state after\n");
        REQUESTS.forEach((request, send) -> {
            table.append('\n');
            STATES.forEach((name, make) -> {
                var scene = make.get();
                var answer = send.apply(scene);
                table.append("%-29s| %-11s| %-44s| %s%n".formatted(request, name, answer, scene.state()));
            });
        });
        return table.toString();
    }

    @Test
    void answersAreAsTheTableSays() throws IOException {
        var table = table();
        if (Boolean.getBoolean("moldau.scenarios.write")) {
            Files.writeString(Path.of("src/test/resources" + TABLE), table);
        }
        try (var in = Objects.requireNonNull(StateTableTest.class.getResourceAsStream(TABLE), TABLE)) {
            assertThat(table).isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
