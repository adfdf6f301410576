package io.moldau.ops.chaos.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// One node as it is to be started, every time the same.
///
/// @param address where it is reached
/// @param enter the words before its command that bring it into its namespace, if it has one
/// @param controllerPort where its controller listens itself, behind the proxy if there is one; 0 without the role
/// @param adminUrl where a node of ours answers `/metrics`, `/ready` and `/api`; empty if it has a namespace of its own
/// @param heap a size as the JVM takes it
/// @param referenceFormat further words for the reference's format step
public record NodePlan(
        int id,
        boolean broker,
        boolean controller,
        String address,
        List<String> enter,
        Path folder,
        int clientPort,
        int controllerPort,
        String adminUrl,
        String heap,
        Map<String, String> settings,
        List<String> referenceFormat) {

    /// Where it keeps topics and metadata.
    public Path data() {
        return folder.resolve("data");
    }

    /// Its log directories are these if it has several, and the first one has the metadata too.
    public Path directory(int number) {
        return directory(folder, number);
    }

    static Path directory(Path folder, int number) {
        return folder.resolve("data-" + number);
    }
}
