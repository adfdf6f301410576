package io.moldau.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;
import org.testcontainers.junit.jupiter.Testcontainers;

/// What a container promises beside the example.
@Testcontainers(disabledWithoutDocker = true)
class MoldauContainerIT {

    @Test
    void neighboursOfTheNetworkReachIt() throws Exception {
        try (var network = Network.newNetwork();
                var moldau = new MoldauContainer().withNetwork(network).withSetting("num.partitions", "3")) {
            moldau.start();

            assertThat(neighbour(network, "topics", "create", "orders", "-b", moldau.getNetworkBootstrapServers()))
                    .contains("orders");
            assertThat(neighbour(network, "topics", "list", "--json", "-b", moldau.getNetworkBootstrapServers()))
                    .contains("\"orders\"", "\"partitions\": 3");
            try (var client = HttpClient.newHttpClient()) {
                var ready = HttpRequest.newBuilder(URI.create(moldau.getAdminUrl() + "/ready"))
                        .build();
                assertThat(client.send(ready, BodyHandlers.ofString()).statusCode())
                        .isEqualTo(200);
            }
        }
    }

    /// A command in a container of its own, and what it prints.
    private static String neighbour(Network network, String... words) {
        try (var command = new GenericContainer<>(MoldauContainer.DEFAULT_IMAGE)
                .withNetwork(network)
                .withCommand(words)
                .withStartupCheckStrategy(new OneShotStartupCheckStrategy())) {
            command.start();
            return command.getLogs();
        }
    }
}
