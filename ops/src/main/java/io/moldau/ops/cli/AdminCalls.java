package io.moldau.ops.cli;

import io.moldau.common.Errors;
import io.moldau.ops.report.ErrorRemedy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedEndpointTypeException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Waits for what a cluster answers, and says in a person's words why it does not.
///
/// @param asked the addresses the person gave
/// @param misled whether clients are sent to addresses that they do not reach, asked when nothing answers
record AdminCalls(String asked, boolean asksControllers, Supplier<@Nullable ToolException> misled, long timeoutMs) {

    private static final Logger LOG = LoggerFactory.getLogger(AdminCalls.class);

    /// The client's own time-out comes first: it says more.
    private static final long GRACE_MS = 5000;

    /// Waits for an answer.
    <T> T get(String what, KafkaFuture<T> answer) {
        return get(null, what, answer);
    }

    private static ToolException interrupted(String what) {
        Thread.currentThread().interrupt();
        return new ToolException("Interrupted while waiting for " + what + ".", "Run the command again.");
    }

    /// The same, null if it is refused or does not come.
    <T> @Nullable T find(KafkaFuture<T> answer) {
        try {
            return answer.get(timeoutMs + GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("an answer is left out", e);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /// Something that not every cluster has, and what to say of those that do not.
    ///
    /// @param absence with places for the addresses that were asked and for what was wanted
    record Feature(String absence, String remedy) {}

    /// Waits for an answer that only clusters with the feature give.
    <T> T feature(Feature feature, String what, KafkaFuture<T> answer) {
        return get(feature, what, answer);
    }

    private <T> T get(@Nullable Feature feature, String what, KafkaFuture<T> answer) {
        try {
            return answer.get(timeoutMs + GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            boolean absent = cause instanceof UnsupportedVersionException || cause instanceof SecurityDisabledException;
            throw feature != null && absent
                    ? new ToolException(feature.absence().formatted(asked, what), feature.remedy())
                    : explained(what, cause);
        } catch (TimeoutException e) {
            throw unreachable(what, "no answer came");
        } catch (InterruptedException e) {
            throw interrupted(what);
        }
    }

    /// What went wrong, for a person.
    ToolException explained(String what, Throwable cause) {
        String reason = String.valueOf(cause.getMessage());
        return switch (cause) {
            case UnsupportedEndpointTypeException _ ->
                new ToolException(
                        "The node at " + asked + " plays the other role: " + reason,
                        "Give brokers with --bootstrap-server and controllers with --bootstrap-controller.");
            case AuthenticationException _ ->
                new ToolException(
                        "The nodes at " + asked + " do not let this client in: " + reason,
                        "Give its credentials in a properties file with --command-config.");
            case AuthorizationException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": " + reason, "Ask for the rights, or use another principal.");
            case UnsupportedVersionException _ ->
                new ToolException(
                        "The cluster does not support " + what + ": " + reason,
                        "The voters of a quorum with controller.quorum.voters are fixed. If that is not it: a controller's"
                                + " address belongs to --bootstrap-controller, a broker's to --bootstrap-server.");
            case UnknownTopicOrPartitionException _, InvalidTopicException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": " + reason,
                        "'moldau topics list --internal' shows the names of all topics.");
            case TopicExistsException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": " + reason,
                        "Use another name, 'moldau topics alter' to change it, or --if-not-exists.");
            case GroupIdNotFoundException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": " + reason, "'moldau groups list' shows the groups.");
            case TransactionalIdNotFoundException _ ->
                new ToolException(
                        "The cluster cannot give " + what + ": " + reason,
                        "'moldau explain transaction' without an id lists those that are known.");
            case GroupNotEmptyException _, UnknownMemberIdException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": the group has members: " + reason,
                        "Stop its consumers first; 'moldau groups describe' shows who they are.");
            case InvalidReplicationFactorException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": " + reason,
                        "Take at most as many replicas as 'moldau brokers' shows, or start more brokers.");
            case InvalidConfigurationException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": " + reason,
                        "'moldau configs show KIND NAME --all' shows keys and values.");
            case org.apache.kafka.common.errors.TimeoutException _ -> unreachable(what, reason);
            case RetriableException _ ->
                new ToolException(
                        "The cluster cannot give " + what + " now: " + reason,
                        "Run the command again; 'moldau quorum status' tells whether there is a leader.");
            case ApiException _ ->
                new ToolException(
                        "The cluster refuses " + what + ": " + reason,
                        ErrorRemedy.of(Errors.forCode(org.apache.kafka.common.protocol.Errors.forException(cause)
                                .code())));
            default -> new ToolException(what + " failed: " + cause, "The log of the asked node may tell more.");
        };
    }

    private ToolException unreachable(String what, String reason) {
        ToolException elsewhere = misled.get();
        if (elsewhere != null) {
            return elsewhere;
        }
        // The client's words for not having found any node that answers.
        boolean nobody = reason.contains("node assignment");
        return new ToolException(
                "Waited " + Duration.ofMillis(timeoutMs).toSeconds() + " s for " + what + " from " + asked + ": "
                        + reason,
                nobody
                        ? "Check that a node runs there and that the address is a "
                                + (asksControllers ? "controller's" : "broker's") + "; --timeout waits longer."
                        : "It may still happen: look with 'moldau quorum status'. --timeout waits longer.");
    }
}
