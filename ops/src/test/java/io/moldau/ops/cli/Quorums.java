package io.moldau.ops.cli;

import io.moldau.common.Uuid;
import io.moldau.ops.report.QuorumReport.Address;
import io.moldau.ops.report.QuorumReport.Quorum;
import io.moldau.ops.report.QuorumReport.Replica;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/// Quorums for tests, as they are a million milliseconds after 1970.
final class Quorums {

    /// Voters 1 to 3 led by 2, of which 3 was never heard of; controller 4 and broker 10 follow.
    static final Quorum THREE = new Quorum(
            2,
            7,
            119,
            List.of(state(1, 117, 999_800, 998_500), state(2, 120, 1_000_000, 1_000_000), state(3, -1, -1, -1)),
            List.of(
                    state(4, 20, 955_000, 700_000),
                    new Replica(10, Uuid.ZERO, 120, OptionalLong.of(1_000_000), OptionalLong.of(1_000_000))),
            Map.of(
                    1, List.of(new Address("CONTROLLER", "::1", 9093)),
                    2, List.of(new Address("CONTROLLER", "two", 9093))));

    static final Map<Integer, List<Address>> REGISTERED = Map.of(4, List.of(new Address("CONTROLLER", "four", 9093)));

    private Quorums() {}

    private static Replica state(int id, long end, long fetched, long caughtUp) {
        return new Replica(
                id,
                new Uuid(0, id),
                end,
                fetched < 0 ? OptionalLong.empty() : OptionalLong.of(fetched),
                caughtUp < 0 ? OptionalLong.empty() : OptionalLong.of(caughtUp));
    }
}
