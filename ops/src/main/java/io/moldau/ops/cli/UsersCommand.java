package io.moldau.ops.cli;

import io.moldau.ops.cli.Cluster.Credential;
import io.moldau.ops.report.TextTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `moldau users`: names and passwords for SASL/SCRAM (KIP-554).
@Command(
        name = "users",
        description = "Lists, adds and removes users with a SCRAM password; what they may do is 'moldau acls'.",
        footer = {
            "",
            "Examples:",
            "  moldau users list",
            "  moldau users add alice --password-file alice.secret",
            "  moldau users remove alice"
        })
final class UsersCommand {

    private static final int ITERATIONS = 8192;

    /// `moldau users list`
    @Command(
            name = "list",
            description = "Lists the users that have SCRAM credentials, never the credentials.",
            footer = {"", "Examples:", "  moldau users list", "  moldau users list --json"})
    static final class Listing extends ClusterCommand {

        Listing(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            List<Credential> users = cluster.users();
            var table = new TextTable("USER", "MECHANISM", "ITERATIONS");
            users.forEach(user -> table.row(user.user(), user.mechanism(), user.iterations()));
            print(
                    Map.of(
                            "users",
                            users.stream()
                                    .map(user -> {
                                        Map<String, Object> one = new LinkedHashMap<>();
                                        one.put("user", user.user());
                                        one.put("mechanism", user.mechanism());
                                        one.put("iterations", user.iterations());
                                        return one;
                                    })
                                    .toList()),
                    users.isEmpty() ? "Nobody has SCRAM credentials." : table.toString());
            return DONE;
        }
    }

    /// A command about one user.
    private abstract static class OfUser extends ClusterCommand {

        @Parameters(paramLabel = "NAME", description = "The user's name, without 'User:'.")
        private String name = "";

        @Option(
                names = "--mechanism",
                paramLabel = "MECHANISM",
                defaultValue = "SCRAM-SHA-512",
                description = "SCRAM-SHA-256 or SCRAM-SHA-512 (default: ${DEFAULT-VALUE}).")
        private String mechanism = "";

        OfUser(ToolContext context) {
            super(context);
        }

        @Override
        void check() {
            if (name.startsWith("User:")) {
                throw new ToolException(
                        "'" + name + "' is a principal.", "Give the name alone: " + name.substring("User:".length()));
            }
            mechanism();
        }

        String name() {
            return name;
        }

        ScramMechanism mechanism() {
            ScramMechanism known = ScramMechanism.fromMechanismName(mechanism);
            if (known == ScramMechanism.UNKNOWN) {
                throw new ToolException(
                        "'" + mechanism + "' is no mechanism.",
                        "Take one of "
                                + Arrays.stream(ScramMechanism.values())
                                        .filter(one -> one != ScramMechanism.UNKNOWN)
                                        .map(ScramMechanism::mechanismName)
                                        .collect(Collectors.joining(", "))
                                + ".");
            }
            return known;
        }
    }

    /// `moldau users add`
    @Command(
            name = "add",
            description = {
                "Gives a user a password, or another one.",
                "",
                "The password is the first line of --password-file, or of standard input. It is not sent: the cluster gets"
                        + " what SCRAM derives from it."
            },
            footer = {
                "",
                "Examples:",
                "  moldau users add alice --password-file alice.secret",
                "  pass show alice | moldau users add alice"
            })
    static final class Add extends OfUser {

        @Option(names = "--password-file", paramLabel = "FILE", description = "Has the password in its first line.")
        private @Nullable Path file;

        @Option(
                names = "--iterations",
                paramLabel = "N",
                defaultValue = "" + ITERATIONS,
                description = "How often the password is hashed, 4096 to 16384 (default: ${DEFAULT-VALUE}).")
        private int iterations = ITERATIONS;

        Add(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            cluster.addUser(new Credential(name(), mechanism().mechanismName(), iterations), password());
            print(
                    Map.of("user", name(), "mechanism", mechanism().mechanismName()),
                    "User " + name() + " has a password for " + mechanism().mechanismName() + ".");
            return DONE;
        }

        private byte[] password() {
            Path from = file;
            String line;
            try (var reader = from == null
                    ? new BufferedReader(new InputStreamReader(context().in(), StandardCharsets.UTF_8))
                    : Files.newBufferedReader(from, StandardCharsets.UTF_8)) {
                line = reader.readLine();
            } catch (IOException e) {
                throw new ToolException(
                        "The password cannot be read from " + (from == null ? "standard input" : from) + ": " + e + ".",
                        "Name a readable file with --password-file.");
            }
            if (line == null || line.isEmpty()) {
                throw new ToolException(
                        "No password was given for user " + name() + ".",
                        "Write it into the first line of a file for --password-file, or of standard input.");
            }
            return line.getBytes(StandardCharsets.UTF_8);
        }
    }

    /// `moldau users remove`
    @Command(
            name = "remove",
            description = "Takes a user's password away. Connections that are there stay until they end.",
            footer = {
                "",
                "Examples:",
                "  moldau users remove alice",
                "  moldau users remove alice --mechanism SCRAM-SHA-256"
            })
    static final class Remove extends OfUser {

        Remove(ToolContext context) {
            super(context);
        }

        @Override
        int run(Cluster cluster) {
            cluster.removeUser(name(), mechanism());
            print(
                    Map.of("user", name(), "mechanism", mechanism().mechanismName()),
                    "User " + name() + " has no password for " + mechanism().mechanismName() + " any more.");
            return DONE;
        }
    }
}
