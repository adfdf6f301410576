package io.moldau.ops.state;

import io.moldau.common.Endpoint;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Whether clients reach a node where it tells them to come: from what happened when the node dialled its own
/// advertised
/// address to what is wrong and who will notice. Functions.
public final class AdvertisedCheck {

    /// What happened at an advertised address.
    sealed interface Outcome {

        /// The host's name is not known on this machine.
        record Unknown(String reason) implements Outcome {}

        /// There was no connection, or no answer in time.
        record Unreached(String reason) implements Outcome {}

        /// Somebody took the connection, and does not speak Kafka.
        record Foreign(String reason) implements Outcome {}

        /// A Kafka node answered.
        ///
        /// @param clusterId of the one that answered
        /// @param thisNode whether it takes itself for the node with our id
        /// @param loopback whether the address is one of this machine alone
        record Answered(String clusterId, boolean thisNode, boolean loopback) implements Outcome {}
    }

    /// Something that clients will stumble over.
    ///
    /// @param endpoint the advertised listener
    /// @param text what is wrong, and which clients notice
    /// @param remedy what to do about it
    public record Problem(Endpoint endpoint, String text, String remedy) {

        @Override
        public String toString() {
            return text + " " + remedy;
        }
    }

    private AdvertisedCheck() {}

    /// @param listens the host the listener is bound to, empty for every interface
    /// @return null if nothing is wrong
    static @Nullable Problem judge(Endpoint advertised, String listens, Outcome outcome, int nodeId, String clusterId) {
        String where = "Listener " + advertised.listenerName() + " is advertised as " + address(advertised);
        String settings =
                "Set advertised.listeners to " + advertised.listenerName() + "://HOST:PORT as clients reach it";
        return switch (outcome) {
            case Outcome.Unknown(String reason) ->
                new Problem(
                        advertised,
                        where + ", a name this machine does not know (" + reason
                                + "): every client fails that does not know it either.",
                        settings + ", or make the name known (DNS, /etc/hosts).");
            case Outcome.Unreached(String reason) ->
                new Problem(
                        advertised,
                        where + ", where this machine gets no answer (" + reason
                                + "): clients find the node by its bootstrap address and then fail, unless they come"
                                + " by a way that this machine does not have, such as a forwarded port.",
                        settings + ", and check port and firewall.");
            case Outcome.Foreign(String reason) ->
                new Problem(
                        advertised,
                        where + ", where somebody answers who does not speak Kafka (" + reason
                                + "): every client fails.",
                        settings + ", or end what listens there.");
            case Outcome.Answered(String other, boolean _, boolean _)
            when !other.equals(clusterId) ->
                new Problem(
                        advertised,
                        where + ", where a node of another cluster answers (" + other + ", this one is " + clusterId
                                + "): clients would read and write there.",
                        settings + "; two nodes on one machine need two ports.");
            case Outcome.Answered(String _, boolean thisNode, boolean _)
            when !thisNode ->
                new Problem(
                        advertised,
                        where + ", where another broker of this cluster answers, not node " + nodeId
                                + ": what clients ask this node for is refused there.",
                        settings + "; each broker needs an address of its own.");
            case Outcome.Answered(String _, boolean _, boolean loopback)
            when loopback && listensEverywhere(listens) ->
                new Problem(
                        advertised,
                        where + ", an address of this machine alone, while it listens on every interface: clients on"
                                + " other machines find the node and then connect to themselves.",
                        settings + ", or listen on localhost if that is meant.");
            case Outcome.Answered _ -> null;
        };
    }

    private static boolean listensEverywhere(String host) {
        return List.of("", "0.0.0.0", "::", "0:0:0:0:0:0:0:0").contains(host.toLowerCase(Locale.ROOT));
    }

    private static String address(Endpoint endpoint) {
        String host = endpoint.host().contains(":") ? "[" + endpoint.host() + "]" : endpoint.host();
        return host + ":" + endpoint.port();
    }
}
