package io.moldau.broker.coordinator.group;

import java.util.Set;

/// Which topics do these expressions of a group stand for? Answered outside the shard, for it takes its time.
record RegexQuestion(String groupId, Set<String> regexes) {}
