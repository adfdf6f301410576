package io.moldau.testcontainers;

import com.github.dockerjava.api.command.InspectContainerResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/// A node of Moldau, broker and controller in one, for tests of applications that speak Kafka's protocol.
///
/// Clients on the test's side use [#getBootstrapServers()], those in containers of the same network
/// [#getNetworkBootstrapServers()]. Topics are created by use.
public class MoldauContainer extends GenericContainer<MoldauContainer> {

    /// What `docker/build` makes.
    public static final DockerImageName DEFAULT_IMAGE = DockerImageName.parse("moldau:dev");

    private static final int CLIENT_PORT = 9092;
    private static final int NETWORK_PORT = 19092;
    private static final int ADMIN_PORT = 9644;
    private static final String SCRIPT = "/tmp/moldau-start";

    private final Map<String, String> settings = new LinkedHashMap<>();

    public MoldauContainer() {
        this(DEFAULT_IMAGE);
    }

    public MoldauContainer(String image) {
        this(DockerImageName.parse(image));
    }

    public MoldauContainer(DockerImageName image) {
        super(image);
        withExposedPorts(CLIENT_PORT, ADMIN_PORT);
        // The address for clients holds a port that the engine chooses when it starts the container. So the container
        // waits for a script with that address in it.
        withCreateContainerCmdModifier(create -> create.withEntrypoint(
                "/bin/sh", "-c", "until [ -x " + SCRIPT + " ]; do sleep 0.05; done; exec " + SCRIPT));
        waitingFor(Wait.forLogMessage(".*Moldau .* is ready: node .*\\n", 1));
        withStartupTimeout(Duration.ofMinutes(2));
    }

    /// Sets a broker key by Kafka's name, such as `num.partitions`. Listeners are set already.
    public MoldauContainer withSetting(String key, String value) {
        settings.put(key, value);
        return self();
    }

    /// What clients outside of the container's network are given as `bootstrap.servers`.
    public String getBootstrapServers() {
        return getHost() + ":" + getMappedPort(CLIENT_PORT);
    }

    /// The same for clients in containers of the same network.
    public String getNetworkBootstrapServers() {
        return Objects.requireNonNull(getContainerInfo().getConfig().getHostName()) + ":" + NETWORK_PORT;
    }

    /// Where `/metrics`, `/ready` and the administration's interface are.
    public String getAdminUrl() {
        return "http://" + getHost() + ":" + getMappedPort(ADMIN_PORT);
    }

    @Override
    protected void containerIsStarting(InspectContainerResponse container) {
        var all = new LinkedHashMap<>(settings);
        all.put("listeners", "OUTSIDE://:" + CLIENT_PORT + ",INSIDE://:" + NETWORK_PORT);
        all.put(
                "advertised.listeners",
                "OUTSIDE://" + getBootstrapServers() + ",INSIDE://"
                        + container.getConfig().getHostName() + ":" + NETWORK_PORT);
        all.put("inter.broker.listener.name", "INSIDE");
        all.put("listener.security.protocol.map", "OUTSIDE:PLAINTEXT,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT");
        all.put("admin.listener", "http://:" + ADMIN_PORT);
        var script = new StringBuilder("#!/bin/sh\nexec /opt/moldau/bin/container start");
        all.forEach((key, value) -> script.append(" -o '")
                .append((key + "=" + value).replace("'", "'\\''"))
                .append('\''));
        copyFileToContainer(Transferable.of(script.append('\n').toString(), 0755), SCRIPT);
    }
}
