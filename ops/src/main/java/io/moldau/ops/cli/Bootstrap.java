package io.moldau.ops.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/// The addresses a client begins with: whether anybody is there at all, which a client would only find out by waiting.
final class Bootstrap {

    private Bootstrap() {}

    /// What the person named, for messages.
    static String asked(Properties properties) {
        String controllers = properties.getProperty(AdminClientConfig.BOOTSTRAP_CONTROLLERS_CONFIG);
        return controllers == null
                ? properties.getProperty(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "")
                : controllers;
    }

    static boolean asksControllers(Properties properties) {
        return properties.containsKey(AdminClientConfig.BOOTSTRAP_CONTROLLERS_CONFIG);
    }

    /// What waits for answers to a client with these properties, and says why they do not come.
    static AdminCalls calls(Properties properties, Machine machine) {
        return new AdminCalls(
                asked(properties),
                asksControllers(properties),
                () -> misled(properties, machine),
                Long.parseLong(properties.getProperty(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "30000")));
    }

    /// @throws ToolException if none of the addresses takes a connection, with what happened at each
    static void check(Properties properties, Machine machine) {
        List<String> failures = new ArrayList<>();
        for (String address : asked(properties).split(",", -1)) {
            HostPort to = hostPort(address);
            if (to == null) {
                // The client names what is wrong with it.
                return;
            }
            String failure = machine.dial(to.host(), to.port());
            if (failure.isEmpty()) {
                return;
            }
            failures.add(address.strip() + ": " + failure);
        }
        String option = asksControllers(properties) ? "--bootstrap-controller" : "--bootstrap-server";
        throw new ToolException(
                "Nobody can be reached: " + String.join("; ", failures) + ".",
                "Start a node there ('moldau start'), check host, port and firewall, or name another address with "
                        + option + ". --timeout was not waited for.");
    }

    /// Whether a client that begins at one of these addresses is sent to others that it does not reach.
    ///
    /// @return null if it reaches one of them, or if nobody tells
    static @Nullable ToolException misled(Properties properties, Machine machine) {
        if (asksControllers(properties)) {
            return null;
        }
        for (String address : asked(properties).split(",", -1)) {
            HostPort to = hostPort(address);
            if (to == null || !machine.dial(to.host(), to.port()).isEmpty()) {
                continue;
            }
            List<String> failures = new ArrayList<>();
            List<Machine.Advertised> told = machine.advertised(to.host(), to.port());
            for (Machine.Advertised broker : told) {
                String failure = machine.dial(broker.host(), broker.port());
                if (!failure.isEmpty()) {
                    failures.add("broker " + broker.id() + " tells clients to come to " + broker.host() + ":"
                            + broker.port() + ", where from here " + failure);
                }
            }
            return told.isEmpty() || failures.size() < told.size()
                    ? null
                    : new ToolException(
                            "No broker can be reached, though " + address.strip() + " answers: "
                                    + String.join("; ", failures) + ".",
                            "Set advertised.listeners of the brokers to addresses that clients reach.");
        }
        return null;
    }

    private record HostPort(String host, int port) {}

    private static @Nullable HostPort hostPort(String address) {
        int colon = address.lastIndexOf(':');
        String port = address.substring(colon + 1).strip();
        if (colon < 0 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
            return null;
        }
        return new HostPort(
                address.substring(0, colon).strip().replace("[", "").replace("]", ""), Integer.parseInt(port));
    }

    /// @throws ToolException if the properties are no client's properties
    static <T> T made(Properties properties, Supplier<T> client) {
        try {
            return client.get();
        } catch (KafkaException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ToolException(
                    "No client can be made for " + asked(properties) + ": " + cause.getMessage() + ".",
                    "Give HOST:PORT of running nodes, and in --command-config keys of Kafka's clients.");
        }
    }
}
