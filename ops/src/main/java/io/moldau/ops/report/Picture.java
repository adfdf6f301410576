package io.moldau.ops.report;

import io.moldau.common.TopicPartition;
import io.moldau.common.Uuid;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A cluster at one moment, as far as its brokers tell. A value; what is wrong in it is found by functions.
///
/// @param topics by name; those that were asked for
/// @param minInsync `min.insync.replicas` by topic
/// @param logDirs by broker; empty for one that serves and does not answer, absent for one that nobody asked
/// @param quorumLeader -1 if there is none, [#UNKNOWN] if nobody could tell
public record Picture(
        List<Broker> brokers,
        Map<String, Topic> topics,
        Map<String, Integer> minInsync,
        Map<Integer, List<LogDir>> logDirs,
        int quorumLeader) {

    public static final int UNKNOWN = -2;

    /// @param rack empty if it has none
    /// @param controller whether it says to be the active controller, or where it is reached
    /// @param fenced whether it is registered but does not serve
    public record Broker(int id, String host, int port, String rack, boolean controller, boolean fenced) {}

    /// @param error empty if it is sound
    /// @param totalBytes of its disk, -1 if unknown
    /// @param usableBytes of its disk, -1 if unknown
    /// @param sizes of the partitions in it
    public record LogDir(
            String path, String error, long totalBytes, long usableBytes, Map<TopicPartition, Long> sizes) {}

    public record Topic(String name, Uuid id, boolean internal, List<Partition> partitions) {

        public int replicationFactor() {
            return partitions.isEmpty() ? 0 : partitions.getFirst().replicas().size();
        }
    }

    /// @param leader -1 if there is none
    /// @param eligible replicas outside the ISR that may lead nevertheless (KIP-966)
    public record Partition(int id, int leader, List<Integer> replicas, List<Integer> isr, List<Integer> eligible) {

        public boolean offline() {
            return leader < 0;
        }

        public boolean underReplicated() {
            return isr.size() < replicas.size();
        }
    }

    public Optional<Broker> broker(int id) {
        return brokers.stream().filter(broker -> broker.id() == id).findFirst();
    }

    public boolean serves(int id) {
        return broker(id).filter(broker -> !broker.fenced()).isPresent();
    }

    /// Those of a broker that cannot be used.
    public List<LogDir> failedDirs(int id) {
        return logDirs.getOrDefault(id, List.of()).stream()
                .filter(dir -> !dir.error().isEmpty())
                .toList();
    }

    public int minInsync(Topic topic) {
        return minInsync.getOrDefault(topic.name(), 1);
    }
}
