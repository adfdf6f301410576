package io.moldau.ops.faults;

import java.util.List;
import java.util.stream.Stream;

/// All faults, by chapter, in the order in which they are staged.
final class Faults {

    /// A chapter of `docs/faults.md`.
    record Chapter(String title, List<Fault> faults) {}

    static final List<Chapter> CHAPTERS = List.of(
            new Chapter("Settings", SettingsFaults.all()),
            new Chapter("The start of a node", StartFaults.all()),
            new Chapter("Requests", ProtocolFaults.all()),
            new Chapter("Topics, groups and commands", NodeFaults.all()),
            new Chapter("Between nodes", ClusterFaults.all()));

    private Faults() {}

    static Stream<Fault> all() {
        return CHAPTERS.stream().flatMap(chapter -> chapter.faults().stream());
    }
}
