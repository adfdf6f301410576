package io.moldau.broker.config;

import io.moldau.broker.config.NodeConfig.HostPort;
import io.moldau.broker.config.NodeConfig.Voter;
import io.moldau.common.Endpoint;
import io.moldau.common.config.ConfigException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the forms in which settings write addresses.
final class Listeners {

    private static final Pattern LISTENER =
            Pattern.compile("([^:/]+)://(?:\\[([0-9a-fA-F:.%]+)]|([^:\\[\\]]*)):(-?\\d+)");
    private static final Pattern VOTER = Pattern.compile("(\\d+)@(?:\\[([0-9a-fA-F:.%]+)]|([^:\\[\\]]+)):(\\d+)");
    private static final Pattern HOST_PORT = Pattern.compile("(?:\\[([0-9a-fA-F:.%]+)]|([^:@\\[\\]]+)):(\\d+)");

    private Listeners() {}

    /// Listener names do not depend on case: Kafka writes them in capitals.
    static String normalize(String name) {
        return name.strip().toUpperCase(Locale.ROOT);
    }

    /// @param protocols gives the security protocol of a listener's name
    static List<Endpoint> parse(String key, List<String> texts, UnaryOperator<String> protocols) {
        List<Endpoint> endpoints = new ArrayList<>();
        Set<String> names = new HashSet<>();
        Set<String> addresses = new HashSet<>();
        for (String text : texts) {
            Matcher matcher = LISTENER.matcher(text);
            if (!matcher.matches()) {
                throw new ConfigException("Invalid value " + String.join(",", texts) + " for configuration " + key
                        + ": '" + text + "' must be NAME://host:port");
            }
            String name = normalize(matcher.group(1));
            String host = matcher.group(2) != null
                    ? matcher.group(2)
                    : matcher.group(3).strip();
            int port = port(key, text, matcher.group(4));
            if (!names.add(name)) {
                throw new ConfigException(key + " names listener " + name + " twice.");
            }
            if (port != 0 && !addresses.add(host + ":" + port) && key.equals("listeners")) {
                throw new ConfigException(key + " has port " + port + " twice: each listener needs its own.");
            }
            endpoints.add(new Endpoint(name, protocols.apply(name), host, port));
        }
        return endpoints;
    }

    static Voter voter(String text) {
        Matcher matcher = VOTER.matcher(text);
        if (!matcher.matches()) {
            throw new ConfigException(
                    "Invalid value " + text + " for configuration controller.quorum.voters: it must be id@host:port");
        }
        String host = matcher.group(2) != null ? matcher.group(2) : matcher.group(3);
        try {
            return new Voter(
                    Integer.parseInt(matcher.group(1)), host, port("controller.quorum.voters", text, matcher.group(4)));
        } catch (NumberFormatException e) {
            throw new ConfigException(
                    "Invalid value " + text + " for configuration controller.quorum.voters: the id must fit 32 bits");
        }
    }

    static HostPort hostPort(String key, String text) {
        Matcher matcher = HOST_PORT.matcher(text);
        if (!matcher.matches()) {
            throw new ConfigException("Invalid value " + text + " for configuration " + key + ": it must be host:port");
        }
        String host = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
        return new HostPort(host, port(key, text, matcher.group(3)));
    }

    private static int port(String key, String text, String digits) {
        int port = digits.length() > 6 ? -1 : Integer.parseInt(digits);
        if (port < 0 || port > 65_535) {
            throw new ConfigException(
                    "Invalid value " + text + " for configuration " + key + ": the port must be 0 to 65535");
        }
        return port;
    }
}
