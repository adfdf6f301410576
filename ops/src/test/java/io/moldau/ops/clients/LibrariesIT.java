package io.moldau.ops.clients;

import io.moldau.ops.node.Broker;
import io.moldau.ops.node.SharedNode;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/// Client libraries of other makers; each script in `src/test/resources/clients` is one library's checks.
@ExtendWith(SharedNode.class)
class LibrariesIT {

    private final String run = Long.toString(ProcessHandle.current().pid(), 36);

    @TestFactory
    List<DynamicTest> confluentKafka(Broker broker) {
        return ClientScript.python("confluent_kafka", "confluent_checks.py").tests(broker, "confluent-" + run);
    }

    @TestFactory
    List<DynamicTest> kafkaPython(Broker broker) {
        return ClientScript.python("kafka, lz4, snappy, zstandard", "kafka_python_checks.py")
                .tests(broker, "python-" + run);
    }

    @TestFactory
    List<DynamicTest> kafkajs(Broker broker) {
        return ClientScript.node("kafkajs_checks.cjs").tests(broker, "kafkajs-" + run);
    }

    @TestFactory
    List<DynamicTest> platformatic(Broker broker) {
        return ClientScript.node("platformatic_checks.cjs").tests(broker, "platformatic-" + run);
    }
}
