package io.moldau.metadata.quorum.ratis;

import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import io.moldau.metadata.quorum.OwnMetrics;
import io.moldau.metadata.quorum.OwnMetrics.Name;
import io.moldau.metadata.quorum.OwnMetrics.Timing;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Ratis does not start without a provider of metrics. This one keeps its counters, of which Ratis reads some back, how
/// often and how long it did what it times, and its gauges, which are asked only when somebody looks. Found by Ratis
/// through `META-INF/services`. Thread-safe.
public final class RatisMetrics extends MetricRegistries {

    private static final Logger LOG = LoggerFactory.getLogger(RatisMetrics.class);

    /// Ratis makes this object and reads the machine's clock itself.
    private final Time time = new SystemTime();

    private final Map<MetricRegistryInfo, RatisMetricRegistry> registries = new ConcurrentHashMap<>();

    /// Those of the same name in several members of this process are added up.
    static OwnMetrics all() {
        var counters = new HashMap<Name, Long>();
        var timings = new HashMap<Name, Timing>();
        var gauges = new HashMap<Name, Double>();
        if (MetricRegistries.global() instanceof RatisMetrics metrics) {
            metrics.registries.forEach((info, registry) -> {
                if (registry instanceof Registry own) {
                    String component = info.getMetricsComponentName();
                    own.counters.forEach((name, counter) ->
                            counters.merge(new Name(component, name), counter.getCount(), Long::sum));
                    own.timers.forEach(
                            (name, timer) -> timings.merge(new Name(component, name), timer.sum(), Timing::plus));
                    own.gauges.forEach((name, gauge) -> {
                        Double value = valueOf(gauge);
                        if (value != null) {
                            gauges.merge(new Name(component, name), value, Double::sum);
                        }
                    });
                }
            });
        }
        return new OwnMetrics(counters, timings, gauges);
    }

    private static @Nullable Double valueOf(Supplier<?> gauge) {
        try {
            return gauge.get() instanceof Number number ? number.doubleValue() : null;
        } catch (RuntimeException e) {
            // A member that is closing, or has not begun.
            LOG.debug("a gauge of Ratis cannot be read", e);
            return null;
        }
    }

    @Override
    public void clear() {
        registries.clear();
    }

    @Override
    public RatisMetricRegistry create(MetricRegistryInfo info) {
        return registries.computeIfAbsent(info, key -> new Registry(key, time));
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

        private final MetricRegistryInfo info;
        private final Time time;
        private final Map<String, LongCounter> counters = new ConcurrentHashMap<>();
        private final Map<String, Timer> timers = new ConcurrentHashMap<>();
        private final Map<String, Supplier<?>> gauges = new ConcurrentHashMap<>();

        Registry(MetricRegistryInfo info, Time time) {
            this.info = info;
            this.time = time;
        }

        @Override
        public Timekeeper timer(String name) {
            return timers.computeIfAbsent(name, key -> new Timer(time));
        }

        @Override
        public LongCounter counter(String name) {
            return counters.computeIfAbsent(name, key -> new Counter());
        }

        @Override
        public boolean remove(String name) {
            boolean counter = counters.remove(name) != null;
            boolean timer = timers.remove(name) != null;
            return gauges.remove(name) != null || counter || timer;
        }

        @Override
        public <T> void gauge(String name, Supplier<Supplier<T>> gaugeSupplier) {
            gauges.computeIfAbsent(name, key -> gaugeSupplier.get());
        }

        @Override
        public MetricRegistryInfo getMetricRegistryInfo() {
            return info;
        }
    }

    private static final class Timer implements Timekeeper {

        private final Time time;
        private final LongAdder count = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        Timer(Time time) {
            this.time = time;
        }

        @Override
        public Context time() {
            long began = time.nanoseconds();
            return () -> {
                long took = time.nanoseconds() - began;
                count.increment();
                nanos.add(took);
                return took;
            };
        }

        Timing sum() {
            return new Timing(count.sum(), nanos.sum());
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
