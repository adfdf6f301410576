package io.moldau.broker.coordinator.group.consumer;

/// A member of a consumer group.
public record ConsumerGroupMember(String id, MemberMetadata metadata, CurrentAssignment current) {

    public static ConsumerGroupMember unknown(String id) {
        return new ConsumerGroupMember(id, MemberMetadata.NONE, CurrentAssignment.NEW);
    }

    public boolean isClassic() {
        return metadata.classic() != null;
    }

    public int epoch() {
        return current.epoch();
    }

    public ConsumerGroupMember with(MemberMetadata newMetadata) {
        return new ConsumerGroupMember(id, newMetadata, current);
    }

    public ConsumerGroupMember with(CurrentAssignment newCurrent) {
        return new ConsumerGroupMember(id, metadata, newCurrent);
    }
}
