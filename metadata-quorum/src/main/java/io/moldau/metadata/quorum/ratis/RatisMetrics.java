package io.moldau.metadata.quorum.ratis;

import io.moldau.metadata.quorum.MetadataQuorum.OwnCounter;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;
import org.apache.ratis.util.TimeDuration;

/// Ratis does not start without a provider of metrics. This one keeps counters, because Ratis reads some of its own
/// back, and lets timers and gauges go: what is worth watching comes through
/// [io.moldau.metadata.quorum.QuorumMetrics]. Found by Ratis through `META-INF/services`.
public final class RatisMetrics extends MetricRegistries {

    private final Map<MetricRegistryInfo, RatisMetricRegistry> registries = new ConcurrentHashMap<>();

    /// All counters; those of the same name in several members of this process are added up.
    static Map<OwnCounter, Long> counters() {
        var sums = new HashMap<OwnCounter, Long>();
        if (MetricRegistries.global() instanceof RatisMetrics metrics) {
            metrics.registries.forEach((info, registry) -> {
                if (registry instanceof Registry own) {
                    own.counters.forEach((name, counter) -> sums.merge(
                            new OwnCounter(info.getMetricsComponentName(), name), counter.getCount(), Long::sum));
                }
            });
        }
        return sums;
    }

    @Override
    public void clear() {
        registries.clear();
    }

    @Override
    public RatisMetricRegistry create(MetricRegistryInfo info) {
        return registries.computeIfAbsent(info, Registry::new);
    }

    @Override
    public boolean remove(MetricRegistryInfo key) {
        return registries.remove(key) != null;
    }

    @Override
    public Optional<RatisMetricRegistry> get(MetricRegistryInfo info) {
        return Optional.ofNullable(registries.get(info));
    }

    @Override
    public Set<MetricRegistryInfo> getMetricRegistryInfos() {
        return Set.copyOf(registries.keySet());
    }

    @Override
    public Collection<RatisMetricRegistry> getMetricRegistries() {
        return List.copyOf(registries.values());
    }

    @Override
    public void addReporterRegistration(
            Consumer<RatisMetricRegistry> reporterRegistration, Consumer<RatisMetricRegistry> stopReporter) {}

    @Override
    public void enableJmxReporter() {}

    @Override
    public void enableConsoleReporter(TimeDuration consoleReportRate) {}

    private static final class Registry implements RatisMetricRegistry {

        private static final Timekeeper.Context STOPPED = () -> 0;
        private static final Timekeeper TIMER = () -> STOPPED;

        private final MetricRegistryInfo info;
        private final Map<String, LongCounter> counters = new ConcurrentHashMap<>();

        Registry(MetricRegistryInfo info) {
            this.info = info;
        }

        @Override
        public Timekeeper timer(String name) {
            return TIMER;
        }

        @Override
        public LongCounter counter(String name) {
            return counters.computeIfAbsent(name, key -> new Counter());
        }

        @Override
        public boolean remove(String name) {
            return counters.remove(name) != null;
        }

        @Override
        public <T> void gauge(String name, Supplier<Supplier<T>> gaugeSupplier) {}

        @Override
        public MetricRegistryInfo getMetricRegistryInfo() {
            return info;
        }
    }

    private static final class Counter implements LongCounter {

        private final AtomicLong count = new AtomicLong();

        @Override
        public void inc(long n) {
            count.addAndGet(n);
        }

        @Override
        public void dec(long n) {
            count.addAndGet(-n);
        }

        @Override
        public long getCount() {
            return count.get();
        }
    }
}
