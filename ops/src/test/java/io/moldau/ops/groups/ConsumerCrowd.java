package io.moldau.ops.groups;

import io.moldau.ops.chaos.cluster.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/// Many Java consumers of one topic in one group, with a table of who has which partition. The table is kept by what
/// members are told of gains and losses, and shows at once if a partition has two owners.
final class ConsumerCrowd implements AutoCloseable {

    /// How groups agree on who reads what.
    enum Protocol {
        COOPERATIVE(Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName())),
        CONSUMER(Map.of("group.protocol", "consumer"));

        private final Map<String, Object> settings;

        Protocol(Map<String, Object> settings) {
            this.settings = settings;
        }
    }

    private static final Duration SLOW = Duration.ofMinutes(3);
    private static final Duration CLOSE = Duration.ofSeconds(60);

    private final String bootstrap;
    private final String group;
    private final String topic;
    private final Protocol protocol;
    private final int heartbeatMs;
    private final List<Member> members = new ArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();

    // Guarded by this.
    private final @Nullable Member[] owners;
    private final boolean[] interrupted;
    private final Map<Integer, Member> twice = new TreeMap<>();
    private int thrownOut;
    private long lastChange;

    /// @param heartbeatMs how often members of a classic group are heard of; for the other kind the broker decides
    ConsumerCrowd(String bootstrap, String topic, int partitions, Protocol protocol, int heartbeatMs) {
        this.bootstrap = bootstrap;
        this.group = topic;
        this.topic = topic;
        this.protocol = protocol;
        this.heartbeatMs = heartbeatMs;
        owners = new Member[partitions];
        interrupted = new boolean[partitions];
    }

    /// Who has what at one time, and how many partitions were taken from members since the look before, for good or
    /// not.
    record Look(List<Member> owners, int interrupted) {

        /// Partitions that are with another member than before, though the one they were with is among those that
        /// stayed.
        int movedSince(Look before, Collection<Member> stayed) {
            return (int) IntStream.range(0, owners.size())
                    .filter(partition -> before.owners.get(partition) != owners.get(partition))
                    .filter(partition -> stayed.contains(before.owners.get(partition)))
                    .count();
        }

        /// Those of them that went to another member who had been there.
        int swappedSince(Look before, Collection<Member> stayed) {
            return (int) IntStream.range(0, owners.size())
                    .filter(partition -> before.owners.get(partition) != owners.get(partition))
                    .filter(partition -> stayed.contains(before.owners.get(partition)))
                    .filter(partition -> stayed.contains(owners.get(partition)))
                    .count();
        }
    }

    void join(@Nullable String instanceId) {
        start(List.of(new Member(instanceId)));
    }

    /// All at once: what takes long, making them, is over when they begin. Says when that was.
    long join(int count) {
        var coming =
                IntStream.range(0, count).mapToObj(ignored -> new Member(null)).toList();
        long now = System.nanoTime();
        start(coming);
        return now;
    }

    private void start(List<Member> coming) {
        members.addAll(coming);
        coming.forEach(member -> member.thread.start());
    }

    /// Closes it; one with an instance id stays a member until its session ends.
    void leave(Member member) throws InterruptedException {
        members.remove(member);
        member.end();
    }

    List<Member> members() {
        return List.copyOf(members);
    }

    /// What went wrong, above all partitions with two owners.
    synchronized List<String> faults() {
        var all = new ArrayList<>(faults);
        twice.forEach(
                (partition, owner) -> all.add("partition " + partition + " was given away while " + owner + " had it"));
        return all;
    }

    /// How often the group threw out a member, which learns of it only afterwards: a machine that is too slow.
    synchronized int thrownOut() {
        return thrownOut;
    }

    /// Waits until every partition has an owner and no two members differ by more than one. Says how long after
    /// `sinceNanos` the last change for that was.
    Duration awaitBalance(long sinceNanos) {
        Await.until("an even assignment", SLOW, this::isBalanced, () -> faults() + "\n" + counts());
        synchronized (this) {
            return Duration.ofNanos(lastChange - sinceNanos);
        }
    }

    synchronized Look look() {
        int taken = 0;
        for (boolean one : interrupted) {
            taken += one ? 1 : 0;
        }
        Arrays.fill(interrupted, false);
        return new Look(
                Arrays.stream(owners)
                        .map(owner -> Objects.requireNonNull(owner))
                        .toList(),
                taken);
    }

    private synchronized boolean isBalanced() {
        var counts = counts();
        int least = owners.length / members.size();
        return counts.values().stream().mapToInt(Integer::intValue).sum() == owners.length
                && (counts.size() == members.size() || least == 0)
                && counts.values().stream().allMatch(count -> count == least || count == least + 1);
    }

    private synchronized Map<Member, Integer> counts() {
        var counts = new HashMap<Member, Integer>();
        for (var owner : owners) {
            if (owner != null) {
                counts.merge(owner, 1, Integer::sum);
            }
        }
        return counts;
    }

    private synchronized void gained(Member member, Collection<TopicPartition> partitions) {
        for (var partition : partitions) {
            var owner = owners[partition.partition()];
            if (owner != null && owner != member) {
                twice.put(partition.partition(), owner);
            }
            owners[partition.partition()] = member;
        }
        lastChange = System.nanoTime();
    }

    /// It had them no more before it knew: that somebody else has them already is as it should be.
    private synchronized void wasThrownOut(Member member, Collection<TopicPartition> partitions) {
        thrownOut++;
        partitions.forEach(partition -> twice.remove(partition.partition(), member));
        lost(member, partitions);
    }

    private synchronized void lost(Member member, Collection<TopicPartition> partitions) {
        for (var partition : partitions) {
            if (owners[partition.partition()] == member) {
                owners[partition.partition()] = null;
                interrupted[partition.partition()] = !member.isEnding;
            }
        }
        lastChange = System.nanoTime();
    }

    private synchronized void forget(Member member) {
        for (int partition = 0; partition < owners.length; partition++) {
            if (owners[partition] == member) {
                owners[partition] = null;
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        for (var member : members) {
            member.isEnding = true;
            member.consumer.wakeup();
        }
        for (var member : members) {
            member.end();
        }
        members.clear();
    }

    /// One consumer and its thread.
    final class Member implements ConsumerRebalanceListener {

        private final @Nullable String instanceId;
        private final KafkaConsumer<byte[], byte[]> consumer;
        private volatile boolean isEnding;
        private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::run);

        private Member(@Nullable String instanceId) {
            this.instanceId = instanceId;
            var settings = new HashMap<String, Object>(protocol.settings);
            settings.put("bootstrap.servers", bootstrap);
            settings.put("group.id", group);
            settings.put("enable.auto.commit", false);
            if (protocol == Protocol.COOPERATIVE) {
                settings.put("heartbeat.interval.ms", heartbeatMs);
            }
            // There is nothing to read; asking seldom leaves the machine to what is measured.
            settings.put("fetch.max.wait.ms", 5_000);
            if (instanceId != null) {
                settings.put("group.instance.id", instanceId);
            }
            consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Nullable
        String instanceId() {
            return instanceId;
        }

        private void run() {
            try (consumer) {
                consumer.subscribe(List.of(topic), this);
                while (true) {
                    consumer.poll(Duration.ofSeconds(1));
                }
            } catch (WakeupException end) {
                // It was asked to end.
            } catch (RuntimeException e) {
                faults.add(this + " failed: " + e);
            }
        }

        private void end() throws InterruptedException {
            isEnding = true;
            consumer.wakeup();
            if (!thread.join(CLOSE)) {
                faults.add(this + " did not end");
            }
            // A static member that ends says nothing of what it had.
            forget(this);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            gained(this, partitions);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            lost(this, partitions);
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            wasThrownOut(this, partitions);
        }

        @Override
        public String toString() {
            return "member " + (instanceId == null ? Integer.toHexString(hashCode()) : instanceId);
        }
    }
}
