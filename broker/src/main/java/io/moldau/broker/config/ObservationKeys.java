package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about metrics and telemetry.
public final class ObservationKeys {

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.accepted(
                            ConfigKey.of("metric.reporters", ConfigType.list())
                                    .defaultTo(List.of("org.apache.kafka.common.metrics.JmxReporter"))
                                    .importance(LOW)
                                    .describedAs("Classes that report metrics in the reference."),
                            Reasons.OBSERVE)
                    .clusterWide(),
            KnownKey.accepted(
                    ConfigKey.of("metrics.num.samples", ConfigType.intAtLeast(1))
                            .defaultTo(2)
                            .importance(LOW)
                            .describedAs("Number of samples the reference keeps per metric."),
                    Reasons.OBSERVE),
            KnownKey.accepted(
                    ConfigKey.of("metrics.recording.level", ConfigType.string())
                            .defaultTo("INFO")
                            .importance(LOW)
                            .describedAs("Finest level of metrics the reference records."),
                    Reasons.OBSERVE),
            KnownKey.accepted(
                    ConfigKey.of("metrics.sample.window.ms", ConfigType.longAtLeast(1L))
                            .defaultTo(30_000L)
                            .importance(LOW)
                            .describedAs("Length of one sample of the reference's metrics."),
                    Reasons.OBSERVE),
            KnownKey.accepted(
                    ConfigKey.of("kafka.metrics.polling.interval.secs", ConfigType.intAtLeast(1))
                            .defaultTo(10)
                            .importance(LOW)
                            .describedAs("How often the reference's older metric reporters run."),
                    Reasons.OBSERVE),
            KnownKey.accepted(
                    ConfigKey.of("kafka.metrics.reporters", ConfigType.list())
                            .defaultTo(List.of())
                            .importance(LOW)
                            .describedAs("Older metric reporters of the reference."),
                    Reasons.OBSERVE),
            KnownKey.accepted(
                    ConfigKey.of("telemetry.max.bytes", ConfigType.intAtLeast(1))
                            .defaultTo(1_048_576)
                            .importance(LOW)
                            .describedAs("Largest message of metrics a client may push."),
                    Reasons.TELEMETRY));

    private ObservationKeys() {}
}
