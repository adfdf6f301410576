package io.moldau.metadata.image;

import io.moldau.common.Uuid;
import io.moldau.metadata.controller.TestImages;
import io.moldau.metadata.partition.LeaderRecoveryState;
import io.moldau.metadata.partition.PartitionRegistration;
import io.moldau.metadata.record.BrokerRegistrationChangeRecord;
import io.moldau.metadata.record.ConfigRecord;
import io.moldau.metadata.record.FeatureLevelRecord;
import io.moldau.metadata.record.MetadataRecord;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.PartitionChangeRecord;
import io.moldau.metadata.record.ProducerIdsRecord;
import io.moldau.metadata.record.RemoveTopicRecord;
import io.moldau.metadata.record.ReplicaList;
import io.moldau.metadata.record.TopicRecord;
import io.moldau.metadata.record.UnregisterBrokerRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;

/// Records that fit the image they are drawn for.
public final class RandomRecords {

    private static final int BROKERS = 5;

    private final RandomGenerator random;

    public RandomRecords(RandomGenerator random) {
        this.random = random;
    }

    /// One to three records.
    public List<MetadataRecord> next(MetadataImage image) {
        List<TopicImage> topics = new ArrayList<>(image.topics().topics());
        List<BrokerRegistration> brokers = new ArrayList<>(image.cluster().brokers());
        return switch (random.nextInt(12)) {
            case 0, 1 -> newTopic(image);
            case 2 -> topics.isEmpty() ? List.of() : List.of(remove(pick(topics)));
            case 3, 4, 5, 6 -> topics.isEmpty() ? List.of() : changePartition(pick(topics));
            case 7 -> List.of(config());
            case 8 ->
                List.of(MetadataRecords.of(TestImages.broker(random.nextInt(BROKERS), random.nextBoolean())
                        .toRecord()));
            case 9 -> brokers.isEmpty() ? List.of() : List.of(changeBroker(pick(brokers)));
            case 10 ->
                List.of(MetadataRecords.of(ProducerIdsRecord.newBuilder()
                        .setNextProducerId(image.producerIds().nextProducerId() + 1000)
                        .build()));
            default ->
                List.of(MetadataRecords.of(FeatureLevelRecord.newBuilder()
                        .setName("feature-" + random.nextInt(3))
                        .setLevel(random.nextInt(3))
                        .build()));
        };
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private List<Integer> someBrokers() {
        var ids = new ArrayList<Integer>();
        for (int id = 0; id < BROKERS; id++) {
            ids.add(id);
        }
        Collections.shuffle(ids, java.util.Random.from(random));
        return List.copyOf(ids.subList(0, 1 + random.nextInt(3)));
    }

    private List<MetadataRecord> newTopic(MetadataImage image) {
        String name = "topic-" + random.nextInt(12);
        if (image.topics().topic(name) != null) {
            return List.of();
        }
        var records = new ArrayList<MetadataRecord>();
        Uuid id = Uuid.random(random);
        records.add(MetadataRecords.of(TopicRecord.newBuilder()
                .setName(name)
                .setTopicId(MetadataRecords.id(id))
                .build()));
        for (int partition = random.nextInt(4); partition >= 0; partition--) {
            List<Integer> replicas = someBrokers();
            records.add(MetadataRecords.of(new PartitionRegistration(
                            replicas,
                            replicas.stream()
                                    .map(broker -> new Uuid(60, broker))
                                    .toList(),
                            replicas,
                            List.of(),
                            List.of(),
                            List.of(),
                            List.of(),
                            replicas.getFirst(),
                            LeaderRecoveryState.RECOVERED,
                            0,
                            0)
                    .toRecord(MetadataRecords.id(id), partition)));
        }
        return records;
    }

    private static MetadataRecord remove(TopicImage topic) {
        return MetadataRecords.of(RemoveTopicRecord.newBuilder()
                .setTopicId(MetadataRecords.id(topic.id()))
                .build());
    }

    private List<MetadataRecord> changePartition(TopicImage topic) {
        int partition = random.nextInt(topic.partitions().size());
        var change = PartitionChangeRecord.newBuilder()
                .setTopicId(MetadataRecords.id(topic.id()))
                .setPartitionId(partition);
        if (random.nextBoolean()) {
            change.setLeader(random.nextInt(-1, BROKERS));
        }
        if (random.nextBoolean()) {
            change.setIsr(ReplicaList.newBuilder().addAllIds(someBrokers()));
        }
        if (random.nextInt(3) == 0) {
            change.setReplicas(ReplicaList.newBuilder().addAllIds(someBrokers()));
        }
        return List.of(MetadataRecords.of(change.build()));
    }

    private MetadataRecord config() {
        var record = ConfigRecord.newBuilder()
                .setResourceType(
                        random.nextBoolean() ? ConfigResource.Type.TOPIC.code() : ConfigResource.Type.BROKER.code())
                .setResourceName(random.nextBoolean() ? "topic-" + random.nextInt(12) : "")
                .setName("key-" + random.nextInt(4));
        if (random.nextInt(3) > 0) {
            record.setValue("value-" + random.nextInt(100));
        }
        return MetadataRecords.of(record.build());
    }

    private MetadataRecord changeBroker(BrokerRegistration broker) {
        if (random.nextInt(4) == 0) {
            return MetadataRecords.of(UnregisterBrokerRecord.newBuilder()
                    .setBrokerId(broker.id())
                    .setBrokerEpoch(broker.epoch())
                    .build());
        }
        return MetadataRecords.of(BrokerRegistrationChangeRecord.newBuilder()
                .setBrokerId(broker.id())
                .setBrokerEpoch(broker.epoch())
                .setFenced(random.nextBoolean())
                .build());
    }
}
