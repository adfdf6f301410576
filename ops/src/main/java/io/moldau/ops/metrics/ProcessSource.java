package io.moldau.ops.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the process under the names that Prometheus' client libraries use, which most dashboards ask for. Micrometer
/// has names of its own for some of it.
final class ProcessSource implements MetricSource {

    private static final Logger LOG = LoggerFactory.getLogger(ProcessSource.class);

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path IO = Path.of("/proc/self/io");

    @Override
    public void collect(Samples into) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            into.add(Metrics.OPEN_FILES, system.getOpenFileDescriptorCount());
            into.add(Metrics.MAX_FILES, system.getMaxFileDescriptorCount());
            into.add(Metrics.CPU_SECONDS, system.getProcessCpuTime() / 1e9);
        }
        tell(STATUS, "VmRSS:", 1 << 10, Metrics.RESIDENT, into);
        tell(IO, "read_bytes:", 1, Metrics.DISK_READ, into);
        tell(IO, "write_bytes:", 1, Metrics.DISK_WRITTEN, into);
        into.add(Metrics.THREADS, ManagementFactory.getThreadMXBean().getThreadCount());
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            into.addSummary(
                    Metrics.COLLECTIONS,
                    collector.getCollectionCount(),
                    collector.getCollectionTime() / 1e3,
                    collector.getName());
        }
    }

    /// What Linux says in a line of one of its files; nothing where there is none, or it may not be read.
    private static void tell(Path file, String field, long unit, MetricDefinition metric, Samples into) {
        try {
            List<String> lines = Files.readAllLines(file);
            for (String line : lines) {
                if (line.startsWith(field)) {
                    String number = line.substring(field.length()).strip().split(" ", 2)[0];
                    into.add(metric, Long.parseLong(number) * (double) unit);
                }
            }
        } catch (IOException e) {
            LOG.debug("the system does not tell file={}", file, e);
        }
    }
}
