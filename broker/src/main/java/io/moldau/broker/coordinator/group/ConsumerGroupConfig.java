package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.assignor.PartitionAssignor;
import io.moldau.broker.coordinator.group.assignor.RangeAssignor;
import io.moldau.broker.coordinator.group.assignor.UniformAssignor;
import io.moldau.common.Invariant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Settings of consumer groups, under Kafka's names in the comments and with Kafka's defaults. What a group may set for
/// itself is in [GroupSettings].
///
/// @param maxSize `group.consumer.max.size`
/// @param assignors `group.consumer.assignors`; the first is for groups whose members don't mind
/// @param migration `group.consumer.migration.policy`
/// @param regexRefreshIntervalMs `group.consumer.regex.refresh.interval.ms`
/// @param regexMinRefreshIntervalMs how long an expression's topics are good enough whatever happens, a constant in
///     Kafka
public record ConsumerGroupConfig(
        int maxSize,
        List<PartitionAssignor> assignors,
        MigrationPolicy migration,
        int regexRefreshIntervalMs,
        int regexMinRefreshIntervalMs) {

    public static final ConsumerGroupConfig DEFAULTS = new ConsumerGroupConfig(
            Integer.MAX_VALUE,
            List.of(new UniformAssignor(), new RangeAssignor()),
            MigrationPolicy.BIDIRECTIONAL,
            600_000,
            10_000);

    /// Whether a group with members may move between the protocols.
    public enum MigrationPolicy {
        DISABLED,
        UPGRADE,
        DOWNGRADE,
        BIDIRECTIONAL;

        boolean allowsUpgrade() {
            return this == UPGRADE || this == BIDIRECTIONAL;
        }

        boolean allowsDowngrade() {
            return this == DOWNGRADE || this == BIDIRECTIONAL;
        }
    }

    /// The assignors of these names, in this order.
    public static List<PartitionAssignor> assignors(List<String> names) {
        return names.stream()
                .map(name -> switch (name) {
                    case "uniform" -> new UniformAssignor();
                    case "range" -> new RangeAssignor();
                    default -> throw Invariant.unreachable("the settings let the assignor " + name + " pass");
                })
                .map(PartitionAssignor.class::cast)
                .toList();
    }

    @Nullable
    PartitionAssignor assignor(String name) {
        for (var assignor : assignors) {
            if (assignor.name().equals(name)) {
                return assignor;
            }
        }
        return null;
    }

    public ConsumerGroupConfig withMaxSize(int value) {
        return new ConsumerGroupConfig(value, assignors, migration, regexRefreshIntervalMs, regexMinRefreshIntervalMs);
    }

    public ConsumerGroupConfig withMigration(MigrationPolicy value) {
        return new ConsumerGroupConfig(maxSize, assignors, value, regexRefreshIntervalMs, regexMinRefreshIntervalMs);
    }
}
