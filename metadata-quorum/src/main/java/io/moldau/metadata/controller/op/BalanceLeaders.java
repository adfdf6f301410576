package io.moldau.metadata.controller.op;

import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.controller.ControllerSettings;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.TopicImage;
import io.moldau.metadata.partition.LeaderElector;
import io.moldau.metadata.partition.PartitionChange;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.partition.PartitionRules;
import io.moldau.metadata.record.MetadataRecord;
import java.util.ArrayList;
import java.util.Map;

/// What the controller does about leaders from time to time: gives leaderships back to preferred replicas that are in
/// sync and up, and elects unclean leaders where a topic allows them and has none.
public final class BalanceLeaders {

    /// Most elections at a time; the rest follow at once.
    public static final int MAX_ELECTIONS = 1000;

    private final ControllerSettings settings;

    public BalanceLeaders(ControllerSettings settings) {
        this.settings = settings;
    }

    /// Answers whether there is more to do.
    public ControllerResult<Boolean> plan(MetadataImage image) {
        var rules = new TopicRules(image, settings);
        var records = new ArrayList<MetadataRecord>();
        for (TopicImage topic : image.topics().topics()) {
            PartitionRules topicRules = rules.of(topic.name());
            for (Map.Entry<Integer, PartitionRegistration> entry :
                    topic.partitions().entrySet()) {
                PartitionRegistration partition = entry.getValue();
                boolean leaderless = !partition.hasLeader() && topicRules.uncleanElection();
                if (!leaderless && !prefersAnother(image, partition)) {
                    continue;
                }
                if (records.size() == MAX_ELECTIONS) {
                    return ControllerResult.of(records, true);
                }
                new PartitionChange(partition, topic.id(), entry.getKey(), image.cluster()::isActive, topicRules)
                        .mode(leaderless ? LeaderElector.Mode.UNCLEAN : LeaderElector.Mode.PREFERRED)
                        .build()
                        .ifPresent(records::add);
            }
        }
        return ControllerResult.of(records, false);
    }

    private static boolean prefersAnother(MetadataImage image, PartitionRegistration partition) {
        int preferred = partition.preferredReplica();
        return partition.leader() != preferred
                && partition.isr().contains(preferred)
                && image.cluster().isActive(preferred);
    }
}
