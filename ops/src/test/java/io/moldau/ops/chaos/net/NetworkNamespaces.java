package io.moldau.ops.chaos.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A network namespace for each node, all on one bridge: cuts lose packets, also the first one of a connection. Needs
/// Linux, root and `ip`. One thread.
///
/// A cut is between whole nodes; [Network] can tell a node's roles apart.
public final class NetworkNamespaces implements AutoCloseable {

    private static final int HOST = 254;

    private final String prefix;
    private final String subnet;
    private final Set<Integer> nodes = new TreeSet<>();
    private final List<int[]> cuts = new ArrayList<>();

    private NetworkNamespaces(String prefix, String subnet) {
        this.prefix = prefix;
        this.subnet = subnet;
    }

    public static boolean possible() {
        try {
            var made = new ProcessBuilder("ip", "netns", "add", "moldau-probe")
                            .start()
                            .waitFor()
                    == 0;
            return made
                    && new ProcessBuilder("ip", "netns", "delete", "moldau-probe")
                                    .start()
                                    .waitFor()
                            == 0;
        } catch (IOException e) {
            // There is no `ip`: that is the answer.
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /// Makes the bridge. Names and addresses are of this process, so that two runs do not meet.
    public static NetworkNamespaces open() {
        long pid = ProcessHandle.current().pid();
        var made = new NetworkNamespaces(
                "m" + Long.toString(pid, 36), "10." + (100 + pid % 100) + "." + (1 + pid / 100 % 200) + ".");
        try {
            made.ip("link", "add", made.bridge(), "type", "bridge");
            made.ip("addr", "add", made.subnet + HOST + "/24", "dev", made.bridge());
            made.ip("link", "set", made.bridge(), "up");
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    /// Where the node is reached, by other nodes and from outside.
    public String address(int node) {
        return subnet + node;
    }

    /// The words that start a command inside the node's namespace, which is made when it is first asked for.
    public List<String> enter(int node) {
        if (nodes.add(node)) {
            ip("netns", "add", namespace(node));
            ip("link", "add", outside(node), "type", "veth", "peer", "name", inside(node));
            ip("link", "set", inside(node), "netns", namespace(node));
            ip("link", "set", outside(node), "master", bridge(), "up");
            within(node, "addr", "add", address(node) + "/24", "dev", inside(node));
            within(node, "link", "set", inside(node), "up");
            within(node, "link", "set", "lo", "up");
        }
        return List.of("ip", "netns", "exec", namespace(node));
    }

    /// From now on no packet of one node reaches the other; what the other sends still arrives.
    public void cut(int from, int to) {
        // To an address nobody has: the packets are sent and lost, where a route that leads nowhere would be told.
        within(
                from,
                "neigh",
                "replace",
                address(to),
                "lladdr",
                "02:00:00:00:00:01",
                "dev",
                inside(from),
                "nud",
                "permanent");
        cuts.add(new int[] {from, to});
    }

    /// No packets between the node and any other, in either direction. Clients still reach it.
    public void isolate(int node) {
        for (int other : nodes) {
            if (other != node) {
                cut(node, other);
                cut(other, node);
            }
        }
    }

    public void heal() {
        cuts.forEach(cut -> within(cut[0], "neigh", "delete", address(cut[1]), "dev", inside(cut[0])));
        cuts.clear();
    }

    private String bridge() {
        return "b" + prefix;
    }

    private String outside(int node) {
        return "v" + node + prefix;
    }

    private String inside(int node) {
        return "e" + node + prefix;
    }

    private String namespace(int node) {
        return prefix + "-" + node;
    }

    private void within(int node, String... words) {
        var all = new ArrayList<>(List.of("-n", namespace(node)));
        all.addAll(List.of(words));
        ip(all.toArray(String[]::new));
    }

    private void ip(String... words) {
        var command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /// Takes everything away again; the nodes must have ended.
    @Override
    public void close() {
        var problems = new ArrayList<String>();
        for (int node : nodes) {
            attempt(problems, "netns", "delete", namespace(node));
        }
        attempt(problems, "link", "delete", bridge());
        if (!problems.isEmpty()) {
            System.out.println("chaos: left behind: " + problems);
        }
    }

    private void attempt(List<String> problems, String... words) {
        try {
            ip(words);
        } catch (IllegalStateException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }
}
