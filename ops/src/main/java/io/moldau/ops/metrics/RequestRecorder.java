package io.moldau.ops.metrics;

import io.moldau.broker.request.RequestMetrics;
import io.moldau.common.Errors;
import io.moldau.wire.protocol.ApiKey;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/// Counts requests and connections. One array access finds the counters of an API; nothing is allocated but at its
/// first request.
final class RequestRecorder implements RequestMetrics, MetricSource {

    /// Counters of one API.
    private static final class OfApi {
        final ApiKey api;
        final LongAdder[] versions;
        final LongAdder requestBytes = new LongAdder();
        final LongAdder responseBytes = new LongAdder();
        final Histogram total = new Histogram();
        final Histogram handle = new Histogram();
        final Histogram wait = new Histogram();
        final Histogram send = new Histogram();
        final Map<Short, LongAdder> errors = new ConcurrentHashMap<>();

        OfApi(ApiKey api) {
            this.api = api;
            this.versions = new LongAdder[api.highestVersion() + 1];
            for (int i = 0; i < versions.length; i++) {
                versions[i] = new LongAdder();
            }
        }
    }

    /// Counters of one listener.
    private static final class OfListener {
        final LongAdder open = new LongAdder();
        final LongAdder opened = new LongAdder();
        final LongAdder paused = new LongAdder();
        final LongAdder pauses = new LongAdder();
        final LongAdder[] dropped = new LongAdder[Closed.values().length];

        OfListener() {
            for (int i = 0; i < dropped.length; i++) {
                dropped[i] = new LongAdder();
            }
        }
    }

    private final AtomicReferenceArray<OfApi> apis = new AtomicReferenceArray<>(ApiKey.values().length);

    /// As many as the node's settings name.
    private final Map<String, OfListener> listeners = new ConcurrentHashMap<>();

    private OfApi of(ApiKey api) {
        OfApi found = apis.get(api.ordinal());
        if (found == null) {
            var made = new OfApi(api);
            OfApi other = apis.compareAndExchange(api.ordinal(), null, made);
            found = other == null ? made : other;
        }
        return found;
    }

    private OfListener of(String listener) {
        OfListener found = listeners.get(listener);
        return found == null ? listeners.computeIfAbsent(listener, name -> new OfListener()) : found;
    }

    @Override
    public void requestReceived(ApiKey api, short version, int bytes) {
        of(api).requestBytes.add(bytes);
    }

    @Override
    public void requestCompleted(
            ApiKey api, short version, long handleNanos, long waitNanos, long sendNanos, int responseBytes) {
        OfApi counters = of(api);
        // ApiVersions is answered in any version, and counts as its newest where it is newer still (KIP-511).
        counters.versions[Math.clamp(version, 0, counters.versions.length - 1)].increment();
        counters.responseBytes.add(responseBytes);
        counters.handle.record(handleNanos);
        counters.wait.record(waitNanos);
        counters.send.record(sendNanos);
        counters.total.record(handleNanos + waitNanos + sendNanos);
    }

    @Override
    public void errorAnswered(ApiKey api, short errorCode) {
        of(api).errors.computeIfAbsent(errorCode, code -> new LongAdder()).increment();
    }

    @Override
    public void connectionOpened(String listener) {
        OfListener counters = of(listener);
        counters.open.increment();
        counters.opened.increment();
    }

    @Override
    public void connectionClosed(String listener) {
        of(listener).open.decrement();
    }

    @Override
    public void connectionDropped(String listener, Closed cause) {
        of(listener).dropped[cause.ordinal()].increment();
    }

    @Override
    public void readingPaused(String listener) {
        OfListener counters = of(listener);
        counters.paused.increment();
        counters.pauses.increment();
    }

    @Override
    public void readingResumed(String listener) {
        of(listener).paused.decrement();
    }

    /// What each API that was asked for has counted.
    Map<String, Served> counted() {
        Map<String, Served> counted = new HashMap<>();
        for (int i = 0; i < apis.length(); i++) {
            OfApi counters = apis.get(i);
            if (counters != null) {
                counted.put(
                        counters.api.apiName(),
                        new Served(
                                counters.total.counts(),
                                counters.errors.values().stream()
                                        .mapToLong(LongAdder::sum)
                                        .sum()));
            }
        }
        return counted;
    }

    /// Open connections of clients and nodes.
    long connections() {
        return listeners.values().stream().mapToLong(it -> it.open.sum()).sum();
    }

    @Override
    public void collect(Samples into) {
        for (int i = 0; i < apis.length(); i++) {
            OfApi counters = apis.get(i);
            if (counters != null) {
                collect(counters, into);
            }
        }
        into.add(Metrics.FAILED_LOGINS, errors(ApiKey.SASL_HANDSHAKE) + errors(ApiKey.SASL_AUTHENTICATE));
        listeners.forEach((name, counters) -> {
            into.add(Metrics.CONNECTIONS, counters.open, name);
            into.add(Metrics.CONNECTIONS_OPENED, counters.opened, name);
            into.add(Metrics.CONNECTIONS_CLOSED, counters.opened.sum() - counters.open.sum(), name);
            into.add(Metrics.READING_PAUSED, counters.paused, name);
            into.add(Metrics.READING_PAUSES, counters.pauses, name);
            for (Closed cause : Closed.values()) {
                LongAdder count = counters.dropped[cause.ordinal()];
                if (count.sum() > 0) {
                    into.add(
                            Metrics.CONNECTIONS_DROPPED,
                            count,
                            name,
                            cause.name().toLowerCase(Locale.ROOT));
                }
            }
        });
    }

    private long errors(ApiKey api) {
        OfApi counters = apis.get(api.ordinal());
        return counters == null
                ? 0
                : counters.errors.values().stream().mapToLong(LongAdder::sum).sum();
    }

    private static void collect(OfApi counters, Samples into) {
        String name = counters.api.apiName();
        for (int version = 0; version < counters.versions.length; version++) {
            long count = counters.versions[version].sum();
            if (count > 0) {
                into.add(Metrics.REQUESTS, count, name, Integer.toString(version));
            }
        }
        counters.errors.forEach((code, count) -> into.add(
                Metrics.REQUEST_ERRORS, count, name, Errors.forCode(code).name()));
        into.add(Metrics.REQUEST_BYTES, counters.requestBytes, name);
        into.add(Metrics.RESPONSE_BYTES, counters.responseBytes, name);
        into.add(Metrics.REQUEST_SECONDS, counters.total, name, "total");
        into.add(Metrics.REQUEST_SECONDS, counters.handle, name, "handle");
        into.add(Metrics.REQUEST_SECONDS, counters.wait, name, "wait");
        into.add(Metrics.REQUEST_SECONDS, counters.send, name, "send");
    }
}
