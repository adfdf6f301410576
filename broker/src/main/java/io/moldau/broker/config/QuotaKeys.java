package io.moldau.broker.config;

import static io.moldau.common.config.ConfigKey.Importance.LOW;

import io.moldau.common.config.ConfigKey;
import io.moldau.common.config.ConfigType;
import java.util.List;

/// Keys about quotas.
public final class QuotaKeys {

    public static final ConfigKey<Integer> REPLICATION_QUOTA_WINDOW_NUM = ConfigKey.of(
                    "replication.quota.window.num", ConfigType.intAtLeast(1))
            .defaultTo(11)
            .importance(LOW)
            .describedAs("Number of samples kept for replication quotas.");

    public static final ConfigKey<Integer> REPLICATION_QUOTA_WINDOW_SIZE_SECONDS = ConfigKey.of(
                    "replication.quota.window.size.seconds", ConfigType.intAtLeast(1))
            .defaultTo(1)
            .importance(LOW)
            .describedAs("Length of one sample for replication quotas.");

    public static final ConfigKey<Integer> ALTER_LOG_DIRS_QUOTA_WINDOW_NUM = ConfigKey.of(
                    "alter.log.dirs.replication.quota.window.num", ConfigType.intAtLeast(1))
            .defaultTo(11)
            .importance(LOW)
            .describedAs("Number of samples kept for the bound on moves between log directories.");

    public static final ConfigKey<Integer> ALTER_LOG_DIRS_QUOTA_WINDOW_SIZE_SECONDS = ConfigKey.of(
                    "alter.log.dirs.replication.quota.window.size.seconds", ConfigType.intAtLeast(1))
            .defaultTo(1)
            .importance(LOW)
            .describedAs("Length of one sample for the bound on moves between log directories.");

    /// Every key of this area, in the order of the documentation.
    static final List<KnownKey> ALL = List.of(
            KnownKey.accepted(
                    ConfigKey.of("quota.window.num", ConfigType.intAtLeast(1))
                            .defaultTo(11)
                            .importance(LOW)
                            .describedAs("Number of samples kept for client quotas."),
                    Reasons.QUOTA),
            KnownKey.accepted(
                    ConfigKey.of("quota.window.size.seconds", ConfigType.intAtLeast(1))
                            .defaultTo(1)
                            .importance(LOW)
                            .describedAs("Length of one sample for client quotas."),
                    Reasons.QUOTA),
            KnownKey.used(REPLICATION_QUOTA_WINDOW_NUM),
            KnownKey.used(REPLICATION_QUOTA_WINDOW_SIZE_SECONDS),
            KnownKey.used(ALTER_LOG_DIRS_QUOTA_WINDOW_NUM),
            KnownKey.used(ALTER_LOG_DIRS_QUOTA_WINDOW_SIZE_SECONDS),
            KnownKey.accepted(
                    ConfigKey.of("controller.quota.window.num", ConfigType.intAtLeast(1))
                            .defaultTo(11)
                            .importance(LOW)
                            .describedAs("Number of samples kept for quotas on controller mutations."),
                    Reasons.QUOTA),
            KnownKey.accepted(
                    ConfigKey.of("controller.quota.window.size.seconds", ConfigType.intAtLeast(1))
                            .defaultTo(1)
                            .importance(LOW)
                            .describedAs("Length of one sample for quotas on controller mutations."),
                    Reasons.QUOTA),
            KnownKey.later(
                    ConfigKey.of("client.quota.callback.class", ConfigType.className())
                            .importance(LOW)
                            .describedAs("Class that decides the quotas of clients."),
                    Reasons.PLUGIN));

    private QuotaKeys() {}
}
