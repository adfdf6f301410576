package io.moldau.ops.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.reference.ReferenceNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The requests of [ProtocolFaults], sent to Apache Kafka: it answers with the codes that the table has.
class ReferenceFaultsIT {

    @Test
    void answersWithTheSameCodes(@TempDir Path folder) throws Exception {
        List<String> differences = new ArrayList<>();
        try (var node = ReferenceNode.start(
                        folder,
                        List.of(
                                "offsets.topic.num.partitions=5",
                                "offsets.topic.replication.factor=1",
                                "group.initial.rebalance.delay.ms=0",
                                "auto.create.topics.enable=false",
                                "log.retention.ms=-1"));
                var wire = new Wire(node.bootstrap())) {
            wire.prepare();
            for (Fault fault : ProtocolFaults.all()) {
                String code = Objects.requireNonNull(ProtocolFaults.asks().get(fault.id()))
                        .of(wire)
                        .code();
                if (!code.equals(fault.code())) {
                    differences.add(fault.id() + ": " + code + " from Apache Kafka, " + fault.code() + " in the table");
                }
            }
        }
        assertThat(differences).isEmpty();
    }
}
