package io.moldau.broker.coordinator.group.assignor;

import java.util.Arrays;
import java.util.stream.IntStream;

/// How many partitions of each topic each member gets when members subscribe to different topics: the loads as equal
/// as subscriptions allow (the sum of their squares is the least there is), and among all such shares one that moves
/// the fewest partitions.
///
/// Partitions of a topic are alike here, so this is a flow from topics to members with a convex cost. It begins with
/// what members hold, hands out the rest to the least loaded, and levels topic by topic; that mostly is the answer.
/// Then it looks for chains and cycles of exchanges through several topics that still gain something, by shortest
/// paths (Bellman-Ford), until there are none: only then is a flow of least cost. The work is bounded; where the bound
/// is met, the shares are valid and nearly balanced.
final class FairShares {

    /// Of looking at one subscription, about a nanosecond to ten. Reached by no group that people have.
    private static final long MAX_STEPS = 60_000_000;

    private static final int NONE = -1;

    private final int topicCount;
    private final int memberCount;
    private final int[] sizes;
    private final int[] loads;

    // Subscriptions, numbered through by member: those of member m are from starts[m] to starts[m + 1].
    private final int[] starts;
    private final int[] memberOf;
    private final int[] topicOf;
    private final int[] held;
    private final int[] share;
    private final int[][] subscriptionsOf;

    // Nodes of the graph are members, then topics. A member has its way in from a topic, and the reverse.
    private final long[] cost;
    private final int[] via;

    private long steps;

    /// @param sizes how many partitions each topic has
    /// @param subscriptions each member's topics
    /// @param heldNow how many partitions each member has of each of its topics, in the same order
    FairShares(int[] sizes, int[][] subscriptions, int[][] heldNow) {
        this.sizes = sizes;
        topicCount = sizes.length;
        memberCount = subscriptions.length;
        starts = new int[memberCount + 1];
        for (int member = 0; member < memberCount; member++) {
            starts[member + 1] = starts[member] + subscriptions[member].length;
        }
        int count = starts[memberCount];
        memberOf = new int[count];
        topicOf = new int[count];
        held = new int[count];
        loads = new int[memberCount];
        for (int member = 0; member < memberCount; member++) {
            for (int index = 0; index < subscriptions[member].length; index++) {
                int edge = starts[member] + index;
                memberOf[edge] = member;
                topicOf[edge] = subscriptions[member][index];
                held[edge] = heldNow[member][index];
                loads[member] += held[edge];
            }
        }
        share = held.clone();
        subscriptionsOf = new int[topicCount][];
        for (int topic = 0; topic < topicCount; topic++) {
            subscriptionsOf[topic] = new int[0];
        }
        int[] degrees = new int[topicCount];
        Arrays.stream(topicOf).forEach(topic -> degrees[topic]++);
        for (int topic = 0; topic < topicCount; topic++) {
            subscriptionsOf[topic] = new int[degrees[topic]];
        }
        for (int edge = count - 1; edge >= 0; edge--) {
            subscriptionsOf[topicOf[edge]][--degrees[topicOf[edge]]] = edge;
        }
        cost = new long[memberCount + topicCount];
        via = new int[memberCount + topicCount];
    }

    /// Each member's share of each of its topics, in the order they were given.
    int[][] find() {
        fill();
        while (level() && steps < MAX_STEPS) {
            // Each round can give the next something to level.
        }
        while (steps < MAX_STEPS && exchange()) {
            // Until nothing is to be gained.
        }
        var result = new int[memberCount][];
        for (int member = 0; member < memberCount; member++) {
            result[member] = Arrays.copyOfRange(share, starts[member], starts[member + 1]);
        }
        return result;
    }

    /// Nobody's partitions go to the least loaded, topics with few subscribers first: they have the least choice.
    private void fill() {
        var order = IntStream.range(0, topicCount)
                .boxed()
                .sorted((one, other) -> Integer.compare(subscriptionsOf[one].length, subscriptionsOf[other].length))
                .toList();
        for (int topic : order) {
            int given = 0;
            for (int edge : subscriptionsOf[topic]) {
                given += share[edge];
            }
            for (; given < sizes[topic]; given++) {
                int taker = NONE;
                for (int edge : subscriptionsOf[topic]) {
                    if (taker == NONE || loads[memberOf[edge]] < loads[memberOf[taker]]) {
                        taker = edge;
                    }
                }
                add(taker, 1);
            }
        }
    }

    /// Within each topic, from the most loaded to the least. Says whether anything changed.
    private boolean level() {
        boolean changed = false;
        for (int topic = 0; topic < topicCount; topic++) {
            while (steps < MAX_STEPS) {
                int most = NONE;
                int least = NONE;
                for (int edge : subscriptionsOf[topic]) {
                    if (share[edge] > 0 && (most == NONE || isBetterGiver(edge, most))) {
                        most = edge;
                    }
                    if (least == NONE || isBetterTaker(edge, least)) {
                        least = edge;
                    }
                }
                steps += subscriptionsOf[topic].length;
                if (most == NONE || loads[memberOf[most]] - loads[memberOf[least]] < 2) {
                    break;
                }
                add(most, -1);
                add(least, 1);
                changed = true;
            }
        }
        return changed;
    }

    private boolean isBetterGiver(int edge, int other) {
        int difference = loads[memberOf[edge]] - loads[memberOf[other]];
        return difference > 0 || (difference == 0 && takeCost(edge) < takeCost(other));
    }

    private boolean isBetterTaker(int edge, int other) {
        int difference = loads[memberOf[edge]] - loads[memberOf[other]];
        return difference < 0 || (difference == 0 && giveCost(edge) < giveCost(other));
    }

    /// What one partition less costs in moves: one that came in by a move need not move then.
    private int takeCost(int edge) {
        return share[edge] > held[edge] ? -1 : 0;
    }

    private int giveCost(int edge) {
        return share[edge] >= held[edge] ? 1 : 0;
    }

    private void add(int edge, int change) {
        share[edge] += change;
        loads[memberOf[edge]] += change;
    }

    /// One search, and the exchanges it finds. Says whether there was any.
    private boolean exchange() {
        // Balance counts before moves: no path has as many moves as one step of balance weighs.
        long weight = 2L * (memberCount + topicCount) + 2;
        for (int member = 0; member < memberCount; member++) {
            cost[member] = -2 * weight * loads[member];
        }
        Arrays.fill(cost, memberCount, cost.length, Long.MAX_VALUE / 2);
        Arrays.fill(via, NONE);
        while (relax()) {
            int onCycle = nodeOnCycle();
            if (onCycle != NONE) {
                turn(onCycle);
                return true;
            }
            if (steps >= MAX_STEPS) {
                return false;
            }
        }
        boolean changed = false;
        for (int member = 0; member < memberCount; member++) {
            // What the search found may be out of date by an exchange before it, so the sum is made anew.
            if (cost[member] + 2 * weight * (loads[member] + 1) < 0 && chainCost(member, weight) < 0) {
                applyChain(member);
                changed = true;
            }
        }
        return changed;
    }

    /// One pass over all edges, there and back.
    private boolean relax() {
        boolean changed = false;
        for (int edge = 0; edge < share.length; edge++) {
            int topic = memberCount + topicOf[edge];
            if (share[edge] > 0 && cost[memberOf[edge]] + takeCost(edge) < cost[topic]) {
                cost[topic] = cost[memberOf[edge]] + takeCost(edge);
                via[topic] = edge;
                changed = true;
            }
        }
        for (int edge = 0; edge < share.length; edge++) {
            int topic = memberCount + topicOf[edge];
            if (cost[topic] + giveCost(edge) < cost[memberOf[edge]]) {
                cost[memberOf[edge]] = cost[topic] + giveCost(edge);
                via[memberOf[edge]] = edge;
                changed = true;
            }
        }
        steps += 2L * share.length;
        return changed;
    }

    private int before(int node) {
        int edge = via[node];
        if (edge == NONE) {
            return NONE;
        }
        return node < memberCount ? memberCount + topicOf[edge] : memberOf[edge];
    }

    /// The ways in form trees, unless there is a cycle that gains something.
    private int nodeOnCycle() {
        int[] seenFrom = new int[via.length];
        Arrays.fill(seenFrom, NONE);
        for (int start = 0; start < via.length; start++) {
            int node = start;
            while (node != NONE && seenFrom[node] == NONE) {
                seenFrom[node] = start;
                node = before(node);
            }
            if (node != NONE && seenFrom[node] == start) {
                return node;
            }
        }
        return NONE;
    }

    private void turn(int onCycle) {
        int node = onCycle;
        do {
            add(via[node], node < memberCount ? 1 : -1);
            node = before(node);
        } while (node != onCycle);
    }

    /// The cost of the chain of exchanges that ends at a member, or 0 if it is no longer possible.
    private long chainCost(int end, long weight) {
        long moves = 0;
        int node = end;
        while (via[node] != NONE) {
            int edge = via[node];
            if (node < memberCount) {
                moves += giveCost(edge);
            } else if (share[edge] > 0) {
                moves += takeCost(edge);
            } else {
                return 0;
            }
            node = before(node);
        }
        return node == end ? 0 : moves + 2 * weight * (loads[end] + 1L - loads[node]);
    }

    private void applyChain(int end) {
        for (int node = end; via[node] != NONE; node = before(node)) {
            add(via[node], node < memberCount ? 1 : -1);
        }
    }
}
