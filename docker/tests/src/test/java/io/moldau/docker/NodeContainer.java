package io.moldau.docker;

import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.model.ContainerNetwork;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/// A node of a cluster of containers, on two networks: one where its port is published to this machine, and one of the
/// nodes among themselves, from which it can be cut off.
///
/// Its neighbours know it by a name that exists on their network only. Docker gives a container's other names to all of
/// its networks, and the cut would leave those.
final class NodeContainer extends GenericContainer<NodeContainer> {

    static final String IMAGE = "moldau:dev";

    private static final long MEBIBYTE = 1 << 20;
    private static final int FIRST_PORT =
            24_000 + (int) (ProcessHandle.current().pid() % 5_000);
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(FIRST_PORT);

    private final int id;
    private final int port = freePort();
    private @Nullable Network peers;

    NodeContainer(int id) {
        super(DockerImageName.parse(IMAGE));
        this.id = id;
        with("MOLDAU_NODE_ID", Integer.toString(id));
        // Chosen before the start, since the node has to be told; and the same after a kill.
        setPortBindings(List.of("127.0.0.1:" + port + ":9092"));
        withMemory(384);
        waitingFor(Wait.forLogMessage(".*Moldau .* is ready: node .*\\n", 1));
        withStartupTimeout(Duration.ofMinutes(2));
    }

    NodeContainer with(String variable, String value) {
        return withEnv(variable, value);
    }

    NodeContainer withMemory(int mebibytes) {
        // Twice the same: no swap.
        return withCreateContainerCmdModifier(create -> Objects.requireNonNull(create.getHostConfig())
                .withMemory(mebibytes * MEBIBYTE)
                .withMemorySwap(mebibytes * MEBIBYTE));
    }

    /// @param others the network of the nodes among themselves
    NodeContainer withPeers(Network clients, Network others) {
        peers = others;
        return withNetwork(clients);
    }

    int id() {
        return id;
    }

    /// What clients on this machine use.
    String bootstrap() {
        return "127.0.0.1:" + port;
    }

    static String peerName(int id) {
        return "node" + id + ".peers";
    }

    @Override
    protected void containerIsCreated(String containerId) {
        if (peers != null) {
            join(containerId, peers);
        }
    }

    private void join(String containerId, Network network) {
        dockerClient
                .connectToNetworkCmd()
                .withNetworkId(network.getId())
                .withContainerId(containerId)
                .withContainerNetwork(new ContainerNetwork().withAliases(peerName(id)))
                .exec();
    }

    void cut() {
        dockerClient
                .disconnectFromNetworkCmd()
                .withNetworkId(Objects.requireNonNull(peers).getId())
                .withContainerId(getContainerId())
                .exec();
    }

    void heal() {
        join(getContainerId(), Objects.requireNonNull(peers));
    }

    void pause() {
        dockerClient.pauseContainerCmd(getContainerId()).exec();
    }

    void unpause() {
        dockerClient.unpauseContainerCmd(getContainerId()).exec();
    }

    void kill() {
        dockerClient.killContainerCmd(getContainerId()).exec();
    }

    /// Asks the node to stop, as an engine does, and waits until it has.
    void end() {
        dockerClient.stopContainerCmd(getContainerId()).withTimeout(60).exec();
    }

    /// Starts it again after [#kill] or [#end].
    void begin() {
        dockerClient.startContainerCmd(getContainerId()).exec();
    }

    InspectContainerResponse.ContainerState state() {
        return dockerClient.inspectContainerCmd(getContainerId()).exec().getState();
    }

    /// Waits until the node says that it serves.
    void awaitReady() throws IOException, InterruptedException {
        String answer = succeeds("/opt/moldau/bin/probe", "--for", "90", "/ready");
        if (!answer.isEmpty()) {
            System.out.println("node " + id + " was not ready at once: "
                    + answer.lines().findFirst().orElse(""));
        }
    }

    /// What a command inside prints; fails if it fails.
    String succeeds(String... words) throws IOException, InterruptedException {
        ExecResult result = execInContainer(words);
        if (result.getExitCode() != 0) {
            throw new AssertionError(String.join(" ", words) + " ended with " + result.getExitCode() + ": "
                    + result.getStdout() + result.getStderr() + "\n" + getLogs());
        }
        return result.getStdout();
    }

    /// Below the range that the kernel gives to outgoing connections, so that it stays free.
    static int freePort() {
        for (int tries = 0; tries < 1000; tries++) {
            int candidate = NEXT_PORT.getAndIncrement();
            try (var _ = new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
                return candidate;
            } catch (BindException e) {
                // Somebody has that one.
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
        throw new IllegalStateException("No free port from " + FIRST_PORT + " on");
    }
}
