package io.moldau.ops.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Gives tests one node for the whole run, as a [Broker] parameter. Such tests name their topics and groups apart.
///
/// `-Dmoldau.bootstrap=HOST:PORT` puts a broker that already runs in its place, for comparison.
public final class SharedNode implements ParameterResolver {

    private static final ExtensionContext.Namespace SPACE = ExtensionContext.Namespace.create(SharedNode.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Broker.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var external = System.getProperty("moldau.bootstrap", "");
        if (!external.isEmpty()) {
            return new Broker(external);
        }
        return context.getRoot()
                .getStore(SPACE)
                .getOrComputeIfAbsent(Started.class, _ -> new Started(), Started.class)
                .broker();
    }

    private static final class Started implements AutoCloseable, ExtensionContext.Store.CloseableResource {

        private final Path folder;
        private final NodeProcess node;

        private Started() {
            try {
                folder = Files.createTempDirectory("moldau-it");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            node = NodeProcess.start(
                    folder.resolve("data"),
                    "num.partitions=1",
                    "offsets.topic.num.partitions=10",
                    // Checks produce records with timestamps of long ago.
                    "log.retention.ms=-1");
        }

        private Broker broker() {
            return new Broker(node.bootstrap());
        }

        @Override
        public void close() throws IOException {
            node.stop();
            try (var files = Files.walk(folder)) {
                for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                    Files.delete(file);
                }
            }
        }
    }
}
