package io.moldau.broker.coordinator.group;

import io.moldau.broker.coordinator.group.assignor.GroupSpec;
import io.moldau.broker.coordinator.group.assignor.PartitionAssignor;
import io.moldau.broker.coordinator.group.consumer.ConsumerGroupMember;
import io.moldau.broker.coordinator.group.consumer.ConsumerGroupRecords;
import io.moldau.broker.coordinator.group.consumer.CurrentAssignment;
import io.moldau.broker.coordinator.group.consumer.MemberMetadata;
import io.moldau.broker.coordinator.group.consumer.MemberState;
import io.moldau.broker.coordinator.group.consumer.Reconciliation;
import io.moldau.broker.coordinator.group.consumer.ResolvedRegex;
import io.moldau.broker.coordinator.group.consumer.SubscribedTopics;
import io.moldau.broker.coordinator.group.consumer.TopicRegexes;
import io.moldau.broker.coordinator.runtime.Reply;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.common.Uuid;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// How a consumer group goes on when somebody says something, comes or goes: its epoch, its target assignment, and what
/// the member that spoke has. Owned by its [GroupShard]; pure.
final class ConsumerGroupPlanner {

    /// What has become of the expression a member subscribes by.
    private enum RegexChange {
        NONE,
        UNRESOLVED,
        /// The topics of the new one are known already, or there is none any more.
        RESOLVED
    }

    private final ConsumerGroupConfig config;
    private final GroupSurroundings surroundings;
    private final ConsumerGroupMemory memory;

    ConsumerGroupPlanner(ConsumerGroupConfig config, GroupSurroundings surroundings, ConsumerGroupMemory memory) {
        this.config = config;
        this.surroundings = surroundings;
        this.memory = memory;
    }

    SubscribedTopics topics() {
        return new SubscribedTopics(surroundings.image().get());
    }

    // ---- who speaks ----

    /// The member that a request comes from. A static one that joins takes the place of who had its name.
    ///
    /// @param joins whether it may be new
    /// @param owned what it says it has
    /// @param classic whether it joins by JoinGroup, where epochs are looked at elsewhere
    /// @throws ApiException why it is not let in
    ConsumerGroupMember admit(
            GroupDraft draft,
            String memberId,
            int memberEpoch,
            @Nullable String instanceId,
            @Nullable Map<Uuid, Set<Integer>> owned,
            boolean joins,
            boolean classic) {
        var group = draft.group();
        var known = group.members().get(memberId);
        if (!joins) {
            var member = group.member(memberId, instanceId);
            return classic ? member : inEpoch(member, memberEpoch, owned);
        }
        var holder = instanceId == null ? null : group.members().ofInstance(instanceId);
        if (holder == null) {
            if (known == null) {
                return ConsumerGroupMember.unknown(memberId);
            }
            return classic ? known : inEpoch(known, memberEpoch, owned);
        }
        if (!classic && !holder.isClassic() && holder.epoch() != CurrentAssignment.LEFT_STATIC) {
            throw new ApiException(
                    Errors.UNRELEASED_INSTANCE_ID,
                    "Instance " + instanceId + " of group " + draft.groupId() + " is member " + holder.id()
                            + " until that leaves.");
        }
        return replace(draft, holder, memberId);
    }

    private static ConsumerGroupMember inEpoch(
            ConsumerGroupMember member, int memberEpoch, @Nullable Map<Uuid, Set<Integer>> owned) {
        if (memberEpoch == CurrentAssignment.JOINING || memberEpoch == member.epoch()) {
            return member;
        }
        boolean missedAnAnswer = memberEpoch < member.epoch()
                && memberEpoch == member.current().previousEpoch()
                && owned != null
                && member.current().assigned().containsAll(owned);
        if (!missedAnAnswer) {
            throw new ApiException(
                    Errors.FENCED_MEMBER_EPOCH,
                    "Member " + member.id() + " is in epoch " + member.epoch() + ", not " + memberEpoch
                            + ". Give up all partitions and join again.");
        }
        return member;
    }

    private ConsumerGroupMember replace(GroupDraft draft, ConsumerGroupMember holder, String memberId) {
        var target = draft.group().target(holder.id());
        draft.group().memberTombstones(holder.id()).forEach(draft::write);
        memory.cancelTimers(draft.groupId(), holder.id(), draft.out());
        var current = holder.current();
        draft.write(ConsumerGroupRecords.member(draft.groupId(), memberId, holder.metadata()));
        draft.write(ConsumerGroupRecords.target(draft.groupId(), memberId, target));
        draft.write(ConsumerGroupRecords.current(
                draft.groupId(),
                memberId,
                new CurrentAssignment(
                        CurrentAssignment.JOINING,
                        0,
                        current.state(),
                        current.assigned(),
                        current.pendingRevocation())));
        return draft.group().member(memberId);
    }

    // ---- what follows ----

    /// The member has said something.
    ///
    /// @param before as it was
    /// @param metadata as it is now
    /// @param owned what it says it has, or null
    /// @return the member as it is then
    ConsumerGroupMember progress(
            GroupDraft draft,
            ConsumerGroupMember before,
            MemberMetadata metadata,
            @Nullable Map<Uuid, Set<Integer>> owned,
            Reply<RegexQuestion> regexes,
            long nowMs) {
        boolean subscriptionChanged = refreshGroup(draft, before, metadata, regexes, nowMs);
        assignIfDue(draft, nowMs);
        return reconcile(draft, before.id(), owned, subscriptionChanged);
    }

    /// Writes what the member says and, if that or the topics ask for another assignment, the group's next epoch.
    ///
    /// @return whether the member subscribes to something else
    boolean refreshGroup(
            GroupDraft draft,
            ConsumerGroupMember before,
            MemberMetadata metadata,
            Reply<RegexQuestion> regexes,
            long nowMs) {
        var groupBefore = draft.group();
        boolean namesChanged = !metadata.topics().equals(before.metadata().topics());
        if (!metadata.equals(before.metadata())) {
            draft.write(ConsumerGroupRecords.member(draft.groupId(), before.id(), metadata));
        }
        var regexChange = regexChange(draft, groupBefore, before.metadata().regex(), metadata, regexes, nowMs);
        boolean due = namesChanged
                || regexChange == RegexChange.RESOLVED
                || !assignor(groupBefore).equals(assignor(draft.group()));
        if (due || memory.mayBeStale(draft.group())) {
            nextEpochIfDue(draft, due);
        }
        return namesChanged || regexChange == RegexChange.RESOLVED;
    }

    private void nextEpochIfDue(GroupDraft draft, boolean due) {
        var group = draft.group();
        long hash = topics().hash(group.subscribedTopics());
        if (due || hash != group.epochs().metadataHash()) {
            draft.write(ConsumerGroupRecords.epoch(draft.groupId(), group.epoch() + 1, hash));
            surroundings.events().rebalance(Group.Type.CONSUMER);
        }
        memory.checked(draft.groupId(), draft.group().epoch());
        if (group.hasPartitionMetadata()) {
            draft.write(ConsumerGroupRecords.partitionMetadataTombstone(draft.groupId()));
        }
    }

    /// The target assignment for the group's epoch, unless the last one was made only just now: those who come
    /// together are assigned together (KIP-1263).
    void assignIfDue(GroupDraft draft, long nowMs) {
        var epochs = draft.group().epochs();
        if (epochs.group() <= epochs.assignment()) {
            return;
        }
        int intervalMs = surroundings.settings().assignmentIntervalMs(draft.groupId());
        if (intervalMs == 0 || epochs.assignedAtMs() == 0 || epochs.assignedAtMs() + intervalMs <= nowMs) {
            assign(draft, nowMs);
        }
    }

    private void assign(GroupDraft draft, long nowMs) {
        var group = draft.group();
        var topics = topics();
        var members = new TreeMap<String, GroupSpec.Member>();
        for (var member : group.members().all()) {
            members.put(
                    member.id(),
                    new GroupSpec.Member(
                            member.metadata().instanceId(),
                            member.metadata().rackId(),
                            topics.ids(group.subscribedTopics(member.metadata())),
                            group.target(member.id())));
        }
        var assigned = assignor(group).assign(new GroupSpec(members), topics);
        for (var memberId : members.keySet()) {
            var target = new TreeMap<>(assigned.getOrDefault(memberId, Map.of()));
            target.values().removeIf(Collection::isEmpty);
            if (!group.targets().containsKey(memberId) || !target.equals(group.target(memberId))) {
                draft.write(ConsumerGroupRecords.target(draft.groupId(), memberId, target));
            }
        }
        draft.write(ConsumerGroupRecords.targetEpoch(draft.groupId(), group.epoch(), nowMs));
    }

    /// The assignor that most members would have; of those that equally many would, the first of
    /// `group.consumer.assignors`.
    PartitionAssignor assignor(ConsumerGroup group) {
        var votes = new HashMap<String, Integer>();
        for (var member : group.members().all()) {
            var name = member.metadata().assignor();
            if (name != null) {
                votes.merge(name, 1, Integer::sum);
            }
        }
        var best = config.assignors().getFirst();
        for (var assignor : config.assignors()) {
            if (votes.getOrDefault(assignor.name(), 0) > votes.getOrDefault(best.name(), 0)) {
                best = assignor;
            }
        }
        return best;
    }

    /// Takes the member a step on towards its target.
    ConsumerGroupMember reconcile(
            GroupDraft draft, String memberId, @Nullable Map<Uuid, Set<Integer>> owned, boolean subscriptionChanged) {
        var group = draft.group();
        var member = group.member(memberId);
        if (!subscriptionChanged && member.current().isReconciledTo(group.assignmentEpoch())) {
            return member;
        }
        var next = new Reconciliation(
                        group.assignmentEpoch(),
                        group.target(memberId),
                        topics().ids(group.subscribedTopics(member.metadata())),
                        owned,
                        (topic, partition) -> group.members().owner(topic, partition) != null)
                .next(member.current(), subscriptionChanged);
        if (next.equals(member.current())) {
            return member;
        }
        draft.write(ConsumerGroupRecords.current(draft.groupId(), memberId, next));
        if (!member.isClassic()) {
            limitRevocation(draft.groupId(), member.with(next), draft);
        }
        return draft.group().member(memberId);
    }

    private static void limitRevocation(String groupId, ConsumerGroupMember member, GroupDraft draft) {
        if (member.current().is(MemberState.UNREVOKED_PARTITIONS)) {
            draft.out()
                    .schedule(
                            new GroupTimer.RevocationTimeout(groupId, member.id(), member.epoch()),
                            member.metadata().rebalanceTimeoutMs());
        } else {
            draft.out().cancel(new GroupTimer.Revocation(groupId, member.id()));
        }
    }

    // ---- who goes ----

    /// The members are gone, whatever they had is free, and the rest is assigned anew.
    void remove(GroupDraft draft, List<ConsumerGroupMember> leaving) {
        for (var member : leaving) {
            draft.group().memberTombstones(member.id()).forEach(draft::write);
            memory.cancelTimers(draft.groupId(), member.id(), draft.out());
        }
        for (var regex : List.copyOf(draft.group().regexes().keySet())) {
            if (!draft.group().members().usesRegex(regex)) {
                draft.write(ConsumerGroupRecords.regexTombstone(draft.groupId(), regex));
            }
        }
        nextEpochIfDue(draft, true);
        if (draft.group().members().isEmpty()) {
            // There is nobody to assign anything to; whoever comes next need not wait for the interval.
            draft.write(ConsumerGroupRecords.targetEpoch(
                    draft.groupId(), draft.group().epoch(), 0));
        }
    }

    // ---- expressions ----

    /// @throws ApiException INVALID_REGULAR_EXPRESSION
    private RegexChange regexChange(
            GroupDraft draft,
            ConsumerGroup groupBefore,
            @Nullable String before,
            MemberMetadata metadata,
            Reply<RegexQuestion> asker,
            long nowMs) {
        var after = metadata.regex();
        var change = RegexChange.NONE;
        boolean isNew = false;
        if (!Objects.equals(before, after)) {
            change = RegexChange.UNRESOLVED;
            if (before != null && !draft.group().members().usesRegex(before)) {
                draft.write(ConsumerGroupRecords.regexTombstone(draft.groupId(), before));
            }
            if (after == null) {
                change = RegexChange.RESOLVED;
            } else {
                if (!groupBefore.members().usesRegex(after)) {
                    TopicRegexes.validate(after);
                    isNew = true;
                } else if (draft.group().regexes().containsKey(after)) {
                    change = RegexChange.RESOLVED;
                }
            }
        }
        if (isNew || !draft.group().members().regexes().isEmpty()) {
            askForTopics(draft, isNew, asker, nowMs);
        }
        return change;
    }

    private void askForTopics(GroupDraft draft, boolean isNew, Reply<RegexQuestion> asker, long nowMs) {
        if (memory.isResolving(draft.groupId())) {
            return;
        }
        var group = draft.group();
        var used = group.members().regexes();
        boolean allResolved = group.regexes().keySet().containsAll(used);
        long lastMs = Long.MIN_VALUE;
        long lastOffset = Long.MAX_VALUE;
        for (var resolved : group.regexes().values()) {
            lastMs = Math.max(lastMs, resolved.atMs());
            lastOffset = Math.min(lastOffset, resolved.metadataOffset());
        }
        if (lastMs != Long.MIN_VALUE && nowMs <= lastMs + config.regexMinRefreshIntervalMs()) {
            return;
        }
        boolean isOld = lastMs != Long.MIN_VALUE && nowMs >= lastMs + config.regexRefreshIntervalMs();
        if (isNew || !allResolved || lastOffset < memory.newTopicsOffset() || isOld) {
            memory.resolving(draft.groupId(), true);
            draft.out().answer(asker, new RegexQuestion(draft.groupId(), new TreeSet<>(used)));
        }
    }

    /// The topics that the group's expressions stand for have been looked up.
    void resolved(GroupDraft draft, Map<String, ResolvedRegex> answers) {
        memory.resolving(draft.groupId(), false);
        boolean changed = false;
        for (var answer : answers.entrySet()) {
            if (!draft.group().members().usesRegex(answer.getKey())) {
                continue;
            }
            var before = draft.group().regexes().get(answer.getKey());
            changed |= before == null
                    ? !answer.getValue().topics().isEmpty()
                    : !before.topics().equals(answer.getValue().topics());
            draft.write(ConsumerGroupRecords.regex(draft.groupId(), answer.getKey(), answer.getValue()));
        }
        if (changed) {
            nextEpochIfDue(draft, true);
        }
    }
}
