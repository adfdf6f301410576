package io.moldau.ops.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;

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
    static AdminCalls calls(Properties properties) {
        return new AdminCalls(
                asked(properties),
                asksControllers(properties),
                Long.parseLong(properties.getProperty(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, "30000")));
    }

    /// @throws ToolException if none of the addresses takes a connection, with what happened at each
    static void check(Properties properties, Machine machine) {
        List<String> failures = new ArrayList<>();
        for (String address : asked(properties).split(",", -1)) {
            int colon = address.lastIndexOf(':');
            String port = address.substring(colon + 1).strip();
            if (colon < 0 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > 65_535) {
                // The client names what is wrong with it.
                return;
            }
            String host = address.substring(0, colon).strip().replace("[", "").replace("]", "");
            String failure = machine.dial(host, Integer.parseInt(port));
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
