package io.moldau.docker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.testcontainers.DockerClientFactory;

/// Fails where all other tests of containers would be skipped and an engine was asked for, as CI does.
@EnabledIfEnvironmentVariable(
        named = "REQUIRE_DOCKER",
        matches = "true",
        disabledReason =
                "only where REQUIRE_DOCKER=true asks for an engine; tests of containers are skipped without one")
class EngineIT {

    @Test
    void thereIsAnEngineWithTheImageAndCompose() throws Exception {
        assertThat(DockerClientFactory.instance().isDockerAvailable()).isTrue();
        assertThat(Programs.isThere("docker", "image", "inspect", NodeContainer.IMAGE))
                .as("the image that docker/build makes")
                .isTrue();
        assertThat(Programs.isThere(Checkout.DOCKER.resolve("compose").toString(), "version"))
                .as("docker compose or docker-compose")
                .isTrue();
    }
}
