package io.moldau.ops.cli;

import io.moldau.ops.report.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.AbstractHistogram;
import org.jspecify.annotations.Nullable;

/// What one part of a bench found.
///
/// @param seconds from the end of the warm-up to the last record
/// @param failed records that were not acknowledged, or did not come
/// @param micros latencies; null where there are none
record BenchResult(
        String mode,
        long records,
        long bytes,
        double seconds,
        long failed,
        @Nullable AbstractHistogram micros) {

    private static final double MEBIBYTE = 1 << 20;
    private static final double[] PERCENTILES = {50, 95, 99, 99.9};
    private static final String[] NAMES = {"p50", "p95", "p99", "p99.9"};

    /// With so many that did not come.
    BenchResult missing(long count) {
        return new BenchResult(mode, records, bytes, seconds, failed + count, micros);
    }

    double recordsPerSecond() {
        return seconds <= 0 ? 0 : records / seconds;
    }

    double mebibytesPerSecond() {
        return seconds <= 0 ? 0 : bytes / MEBIBYTE / seconds;
    }

    static String table(List<BenchResult> results) {
        var table = new TextTable(
                "",
                "records",
                "failed",
                "seconds",
                "records/s",
                "MiB/s",
                "p50 ms",
                "p95 ms",
                "p99 ms",
                "p99.9 ms",
                "max ms");
        for (BenchResult result : results) {
            List<Object> cells = new ArrayList<>(List.of(
                    result.mode,
                    result.records,
                    result.failed,
                    decimal(1, result.seconds),
                    Math.round(result.recordsPerSecond()),
                    decimal(1, result.mebibytesPerSecond())));
            AbstractHistogram micros = result.micros;
            for (double percentile : PERCENTILES) {
                cells.add(micros == null ? "-" : decimal(2, micros.getValueAtPercentile(percentile) / 1e3));
            }
            cells.add(micros == null ? "-" : decimal(2, micros.getMaxValue() / 1e3));
            table.row(cells.toArray());
        }
        return table.toString();
    }

    private static String decimal(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("mode", mode);
        json.put("records", records);
        json.put("failed", failed);
        json.put("bytes", bytes);
        json.put("seconds", seconds);
        json.put("recordsPerSecond", recordsPerSecond());
        json.put("mebibytesPerSecond", mebibytesPerSecond());
        AbstractHistogram found = micros;
        if (found != null) {
            Map<String, Object> latency = new LinkedHashMap<>();
            for (int i = 0; i < NAMES.length; i++) {
                latency.put(NAMES[i], found.getValueAtPercentile(PERCENTILES[i]) / 1e3);
            }
            latency.put("max", found.getMaxValue() / 1e3);
            json.put("latencyMs", latency);
        }
        return json;
    }
}
