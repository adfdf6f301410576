package io.moldau.ops.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.moldau.ops.reference.ReferenceNode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The requests of [ProtocolFaults], sent to Apache Kafka: it answers with the codes that the table has.
class ReferenceFaultsIT {

    @Test
    void answersWithTheSameCodes(@TempDir Path folder) throws Exception {
        Map<String, String> expected = new LinkedHashMap<>();
        Map<String, String> seen = new LinkedHashMap<>();
        ProtocolFaults.all().forEach(fault -> expected.put(fault.id(), fault.code()));
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
            for (var ask : ProtocolFaults.asks().entrySet()) {
                seen.put(ask.getKey(), ask.getValue().of(wire).code());
            }
        }
        assertThat(seen).isEqualTo(expected);
    }
}
