package io.moldau.broker.net;

import java.util.HashMap;
import java.util.Map;

/// Counts open connections per address and in all. Guarded by its own monitor; called once per connection each way.
final class ConnectionLimits {

    /// What becomes of a new connection.
    enum Admission {
        ACCEPTED,
        TOO_MANY,
        TOO_MANY_PER_IP
    }

    private final int max;
    private final int maxPerIp;
    private final Map<String, Integer> overrides;
    private final Map<String, Integer> open = new HashMap<>();
    private int total;

    /// @param overrides limits of single addresses, as they look in an address and not as host names
    ConnectionLimits(int max, int maxPerIp, Map<String, Integer> overrides) {
        this.max = max;
        this.maxPerIp = maxPerIp;
        this.overrides = overrides;
    }

    synchronized Admission open(String address) {
        if (total >= max) {
            return Admission.TOO_MANY;
        }
        int here = open.getOrDefault(address, 0);
        if (here >= overrides.getOrDefault(address, maxPerIp)) {
            return Admission.TOO_MANY_PER_IP;
        }
        open.put(address, here + 1);
        total++;
        return Admission.ACCEPTED;
    }

    synchronized void close(String address) {
        total--;
        if (open.merge(address, -1, Integer::sum) == 0) {
            open.remove(address);
        }
    }

    synchronized int total() {
        return total;
    }
}
