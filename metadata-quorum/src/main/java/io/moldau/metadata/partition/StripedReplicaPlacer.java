package io.moldau.metadata.partition;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// Lays replicas out in stripes: each partition starts one rack and, within the rack, one broker further than the one
/// before, and its replicas go to different racks as long as there are racks left. Leaders and followers so spread
/// evenly over brokers and racks.
public final class StripedReplicaPlacer implements ReplicaPlacer {

    /// One rack: its brokers in a random order that is kept, and who is next. Leaders and followers have a turn each,
    /// else every second broker would never lead where two replicas share a rack.
    private static final class Rack {
        private final List<Integer> unfenced = new ArrayList<>();
        private final List<Integer> fenced = new ArrayList<>();
        private int nextLeader;
        private int nextFollower;

        /// A broker that is up, or -1.
        int leader() {
            if (unfenced.isEmpty()) {
                return -1;
            }
            int leader = unfenced.get(nextLeader % unfenced.size());
            nextLeader++;
            if (nextLeader % unfenced.size() == 0) {
                // Once round: from now on each leader has other followers, so that the load of a broker that fails
                // does not fall on one other alone.
                nextFollower++;
            }
            return leader;
        }

        /// A broker that is not taken, if possible one that is up, or -1.
        int follower(List<Integer> taken) {
            int found = follower(unfenced, taken);
            return found >= 0 ? found : follower(fenced, taken);
        }

        private int follower(List<Integer> brokers, List<Integer> taken) {
            for (int i = 0; i < brokers.size(); i++) {
                int broker = brokers.get((nextFollower + i) % brokers.size());
                if (!taken.contains(broker)) {
                    nextFollower += i + 1;
                    return broker;
                }
            }
            return -1;
        }
    }

    @Override
    public List<List<Integer>> place(
            int partitions, int replicationFactor, List<UsableBroker> brokers, RandomGenerator random) {
        if (replicationFactor < 1) {
            throw new ApiException(
                    Errors.INVALID_REPLICATION_FACTOR,
                    "Invalid replication factor " + replicationFactor + ": the replication factor must be positive.");
        }
        if (brokers.stream().allMatch(UsableBroker::fenced)) {
            throw new ApiException(
                    Errors.INVALID_REPLICATION_FACTOR,
                    brokers.isEmpty()
                            ? "Unable to place replicas: no broker is registered, or all have all their log directories cordoned."
                            : "Unable to place replicas: all brokers are currently fenced, or have all their log"
                                    + " directories cordoned.");
        }
        if (replicationFactor > brokers.size()) {
            throw new ApiException(
                    Errors.INVALID_REPLICATION_FACTOR,
                    "Unable to replicate the partition " + replicationFactor
                            + " time(s): The target replication factor of " + replicationFactor
                            + " cannot be reached because only " + brokers.size()
                            + " broker(s) are registered or some brokers have all their log directories cordoned.");
        }
        List<Rack> racks = racks(brokers, random);
        int start = random.nextInt(racks.size());
        var placements = new ArrayList<List<Integer>>(partitions);
        for (int partition = 0; partition < partitions; partition++) {
            placements.add(placeOne(replicationFactor, racks, start + partition));
        }
        return placements;
    }

    private static List<Rack> racks(List<UsableBroker> brokers, RandomGenerator random) {
        Map<String, Rack> byName = new TreeMap<>();
        // Brokers without a rack form one of their own.
        for (UsableBroker broker : brokers) {
            Rack rack = byName.computeIfAbsent(broker.rack() == null ? "" : broker.rack(), name -> new Rack());
            (broker.fenced() ? rack.fenced : rack.unfenced).add(broker.id());
        }
        var racks = new ArrayList<>(byName.values());
        Collections.shuffle(racks, Random.from(random));
        for (Rack rack : racks) {
            Collections.shuffle(rack.unfenced, Random.from(random));
            Collections.shuffle(rack.fenced, Random.from(random));
        }
        return racks;
    }

    private static List<Integer> placeOne(int replicationFactor, List<Rack> racks, int start) {
        var replicas = new ArrayList<Integer>(replicationFactor);
        // The leader must be up, so the first rack with somebody up gets it.
        int leaderRack = start;
        while (replicas.isEmpty()) {
            int broker = racks.get(leaderRack % racks.size()).leader();
            if (broker >= 0) {
                replicas.add(broker);
            } else {
                leaderRack++;
            }
        }
        // Followers go round the racks from there. With one replica in a rack each first, then second ones.
        for (int rack = leaderRack + 1; replicas.size() < replicationFactor; rack++) {
            int broker = racks.get(rack % racks.size()).follower(replicas);
            if (broker >= 0) {
                replicas.add(broker);
            }
        }
        return List.copyOf(replicas);
    }
}
