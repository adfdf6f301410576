package io.moldau.metadata.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.common.Uuid;
import io.moldau.metadata.partition.ReplicaPlacer.UsableBroker;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class PlacementTest {

    private final StripedReplicaPlacer placer = new StripedReplicaPlacer();

    @Seeds(count = 200)
    void everyPlacementIsSound(long seed) {
        var random = new SplittableRandom(seed);
        int racks = 1 + random.nextInt(4);
        var brokers = new ArrayList<UsableBroker>();
        for (int id = 0; id < 1 + random.nextInt(12); id++) {
            brokers.add(new UsableBroker(
                    id, random.nextInt(5) == 0 ? null : "rack-" + random.nextInt(racks), random.nextInt(4) == 0));
        }
        if (brokers.stream().allMatch(UsableBroker::fenced)) {
            brokers.add(new UsableBroker(100, null, false));
        }
        int factor = 1 + random.nextInt(brokers.size());
        List<List<Integer>> placements = placer.place(1 + random.nextInt(50), factor, brokers, random);

        Map<Integer, UsableBroker> byId = new HashMap<>();
        brokers.forEach(broker -> byId.put(broker.id(), broker));
        long rackCount = brokers.stream().map(PlacementTest::rack).distinct().count();
        for (List<Integer> replicas : placements) {
            assertThat(replicas).hasSize(factor).doesNotHaveDuplicates();
            assertThat(broker(byId, replicas.getFirst()).fenced()).isFalse();
            Set<String> used = new HashSet<>();
            replicas.forEach(id -> used.add(rack(broker(byId, id))));
            assertThat(used).hasSize((int) Math.min(factor, rackCount));
        }
    }

    private static UsableBroker broker(Map<Integer, UsableBroker> byId, int id) {
        return Optional.ofNullable(byId.get(id)).orElseThrow();
    }

    private static String rack(UsableBroker broker) {
        return broker.rack() == null ? "" : broker.rack();
    }

    @Seeds(count = 50)
    void leadersAndReplicasAreSpreadEvenlyOverEqualRacks(long seed) {
        var random = new SplittableRandom(seed);
        int racks = 1 + random.nextInt(3);
        int perRack = 1 + random.nextInt(4);
        var brokers = new ArrayList<UsableBroker>();
        for (int id = 0; id < racks * perRack; id++) {
            brokers.add(new UsableBroker(id, "rack-" + id % racks, false));
        }
        Collections.shuffle(brokers, java.util.Random.from(random));
        int factor = 1 + random.nextInt(Math.min(3, brokers.size()));
        // As many partitions as stripe lengths fit.
        int partitions = brokers.size() * factor * 4;
        Map<Integer, Integer> leaders = new HashMap<>();
        Map<Integer, Integer> replicas = new HashMap<>();
        for (List<Integer> placed : placer.place(partitions, factor, brokers, random)) {
            leaders.merge(placed.getFirst(), 1, Integer::sum);
            placed.forEach(id -> replicas.merge(id, 1, Integer::sum));
        }
        assertSpread(leaders, partitions, brokers.size());
        assertSpread(replicas, partitions * factor, brokers.size());
    }

    private static void assertSpread(Map<Integer, Integer> counts, int total, int brokers) {
        double fair = (double) total / brokers;
        assertThat(counts).hasSize(brokers);
        counts.forEach((id, count) ->
                assertThat((double) count).as("broker " + id + " of " + counts).isBetween(fair * 0.6, fair * 1.4));
    }

    @Test
    void tooFewBrokersAreSaidSo() {
        var random = new SplittableRandom(1);
        assertThatThrownBy(() -> placer.place(1, 2, List.of(new UsableBroker(1, null, false)), random))
                .hasMessageContaining("only 1 broker(s)");
        assertThatThrownBy(() -> placer.place(1, 1, List.of(new UsableBroker(1, null, true)), random))
                .hasMessageContaining("all brokers are currently fenced");
        assertThatThrownBy(() -> placer.place(1, 1, List.of(), random)).hasMessageContaining("no broker");
    }

    // ---- Elections.

    private static PartitionRegistration partition(int leader, List<Integer> replicas, List<Integer> isr) {
        return new PartitionRegistration(
                replicas,
                List.of(),
                isr,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                leader,
                LeaderRecoveryState.RECOVERED,
                3,
                9);
    }

    /// The rules written down once more, without regard to order or speed.
    @Seeds(count = 300)
    void aChangeNeverBreaksThePartition(long seed) {
        var random = new SplittableRandom(seed);
        var ids = new ArrayList<>(List.of(0, 1, 2, 3, 4));
        Collections.shuffle(ids, java.util.Random.from(random));
        List<Integer> replicas = List.copyOf(ids.subList(0, 1 + random.nextInt(4)));
        var isr = new ArrayList<>(replicas);
        isr.removeIf(id -> random.nextInt(3) == 0);
        if (isr.isEmpty()) {
            isr.add(replicas.getFirst());
        }
        int leader = random.nextBoolean() ? isr.get(random.nextInt(isr.size())) : -1;
        PartitionRegistration before = partition(leader, replicas, isr);
        Set<Integer> up = new HashSet<>();
        for (int id = 0; id < 5; id++) {
            if (random.nextBoolean()) {
                up.add(id);
            }
        }
        IntPredicate active = up::contains;
        var mode = LeaderElector.Mode.values()[random.nextInt(3)];
        var change =
                new PartitionChange(before, new Uuid(1, 1), 0, active, new PartitionRules(false, 2, false)).mode(mode);
        int removed = -1;
        if (random.nextBoolean()) {
            removed = random.nextInt(5);
            change.withoutInIsr(removed);
            up.remove(removed);
        }
        Optional<MetadataRecord> record = change.build();
        PartitionRegistration after =
                record.map(each -> before.merge(each.getPartitionChange())).orElse(before);

        assertThat(after.isr()).isNotEmpty().isSubsetOf(replicas);
        if (after.hasLeader()) {
            assertThat(up).contains(after.leader());
            assertThat(after.isr()).contains(after.leader());
            if (!before.isr().contains(after.leader())) {
                assertThat(mode).isEqualTo(LeaderElector.Mode.UNCLEAN);
                assertThat(after.isr()).containsExactly(after.leader());
                assertThat(after.leaderRecoveryState()).isEqualTo(LeaderRecoveryState.RECOVERING);
            }
        } else {
            assertThat(before.isr()).noneMatch(up::contains);
            assertThat(mode == LeaderElector.Mode.UNCLEAN && replicas.stream().anyMatch(up::contains))
                    .isFalse();
        }
        if (after.leader() != before.leader()) {
            assertThat(after.leaderEpoch()).isEqualTo(before.leaderEpoch() + 1);
        } else {
            assertThat(after.leaderEpoch()).isEqualTo(before.leaderEpoch());
        }
        assertThat(after.partitionEpoch()).isEqualTo(record.isPresent() ? 10 : 9);
        if (mode == LeaderElector.Mode.PREFERRED
                && up.contains(replicas.getFirst())
                && isr.contains(replicas.getFirst())) {
            assertThat(after.leader()).isEqualTo(replicas.getFirst());
        }
    }
}
