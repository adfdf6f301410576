package io.moldau.ops.report;

import io.moldau.common.Errors;

/// What a person does about an error code that a client reports. A function; most answers of the protocol have no room
/// for a text of their own, and this is it.
public final class ErrorRemedy {

    private static final String SECURITY =
            "Ask whoever administers the cluster for the right ('moldau acls list' shows them), or use another"
                    + " principal: credentials are given in the client's properties.";
    private static final String CLIENT_BUG =
            "The client contradicts itself or the protocol: use a newer version of it, and compare its log at the time"
                    + " with the broker's.";
    private static final String BETWEEN_NODES =
            "Nodes tell each other so and try again; if it stays, 'moldau doctor' and the nodes' logs say more.";
    private static final String TOKENS = "Use SASL credentials or TLS certificates instead of delegation tokens, or"
            + " have tokens enabled at every node.";
    private static final String SHARE =
            "The client joins its share group again by itself; if it goes on, look whether" + " it polls often enough.";
    private static final String STREAMS =
            "Have all instances of the Streams application run the same version, and restart those that do not.";

    private ErrorRemedy() {}

    public static String of(Errors error) {
        return switch (error) {
            case NONE -> "Nothing is wrong.";
            case UNKNOWN_SERVER_ERROR ->
                "Look at the log of the broker at the time: it has the failure with its cause. It is a bug, or a"
                        + " machine that fails.";
            case OFFSET_OUT_OF_RANGE ->
                "Set auto.offset.reset, or move the group: 'moldau groups reset-offsets GROUP --all-topics"
                        + " --to-earliest'. If retention deletes what was not read yet, raise the topic's"
                        + " retention.ms, or read faster.";
            case CORRUPT_MESSAGE ->
                "The batch was damaged on its way: look for a faulty network card, proxy or memory at the producer;"
                        + " a client library that computes the checksum itself may be wrong.";
            case UNKNOWN_TOPIC_OR_PARTITION ->
                "'moldau topics list' shows what there is: create the topic ('moldau topics create TOPIC'), mend its"
                        + " name in the client, or add partitions. A client that looked before a deletion must look"
                        + " again.";
            case INVALID_FETCH_SIZE -> "Give the consumer fetch.max.bytes and max.partition.fetch.bytes above 0.";
            case LEADER_NOT_AVAILABLE ->
                "The client tries again by itself. If it stays: 'moldau explain partition TOPIC-N' says why nobody"
                        + " leads.";
            case NOT_LEADER_OR_FOLLOWER ->
                "The client asks for new metadata and goes to the leader by itself. If it stays, it does not reach the"
                        + " leader: 'moldau topics describe TOPIC' and 'moldau doctor'.";
            case REQUEST_TIMED_OUT ->
                "For a produce with acks=all: in-sync replicas are slow ('moldau explain partition TOPIC-N'). For"
                        + " changes of topics and settings: 'moldau quorum status' says whether there is an active"
                        + " controller. What was asked for may have happened all the same.";
            case BROKER_NOT_AVAILABLE -> "Start a broker, or wait until one serves: 'moldau brokers'.";
            case REPLICA_NOT_AVAILABLE ->
                "The client asks again by itself; 'moldau explain partition TOPIC-N' says what the replica waits for.";
            case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE ->
                "Lower the producer's batch.size and max.request.size, compress, or raise the topic's limit: 'moldau"
                        + " configs set topic TOPIC max.message.bytes=N'.";
            case OFFSET_METADATA_TOO_LARGE ->
                "Commit a shorter metadata text, or raise offset.metadata.max.bytes of the brokers.";
            case NETWORK_EXCEPTION ->
                "Look whether the broker runs and can be reached ('moldau doctor' dials it), and whether something in"
                        + " between ends idle connections.";
            case COORDINATOR_LOAD_IN_PROGRESS ->
                "The client tries again by itself; a coordinator that has just moved reads its state for some seconds.";
            case COORDINATOR_NOT_AVAILABLE ->
                "'moldau explain group GROUP' says why nobody coordinates: its partition of __consumer_offsets has no"
                        + " leader, or the topic cannot be created with so few brokers"
                        + " (offsets.topic.replication.factor).";
            case NOT_COORDINATOR ->
                "The client looks for the new coordinator by itself. If it stays, it does not reach that broker:"
                        + " 'moldau groups describe GROUP' names it.";
            case INVALID_TOPIC_EXCEPTION ->
                "Take 1 to 249 of the characters a-z, A-Z, 0-9, '.', '_' and '-'; not a name that differs from"
                        + " another topic's in '.' and '_' alone, and no internal topic.";
            case NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND ->
                "'moldau explain partition TOPIC-N' says which brokers are missing. Start them, or lower the topic's"
                        + " min.insync.replicas: 'moldau configs set topic TOPIC min.insync.replicas=N'.";
            case INVALID_REQUIRED_ACKS -> "Set the producer's acks to all, 1 or 0.";
            case ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, STALE_MEMBER_EPOCH ->
                "The group went on without this member: it did not poll within max.poll.interval.ms or send heartbeats"
                        + " within session.timeout.ms. The consumer joins again by itself; let it work on fewer records"
                        + " at a time (max.poll.records) or raise the limit. 'moldau explain group GROUP' shows who is"
                        + " there.";
            case INCONSISTENT_GROUP_PROTOCOL ->
                "Give all members of the group one partition.assignment.strategy in common, and use the group id for"
                        + " consumers only.";
            case INVALID_GROUP_ID -> "Set the consumer's group.id; it must not be empty.";
            case INVALID_SESSION_TIMEOUT ->
                "Set the consumer's session.timeout.ms between group.min.session.timeout.ms and"
                        + " group.max.session.timeout.ms of the brokers ('moldau configs show broker ID --all').";
            case REBALANCE_IN_PROGRESS ->
                "The consumer joins again by itself. If the group never comes to rest, members come and go: 'moldau"
                        + " explain group GROUP'.";
            case INVALID_COMMIT_OFFSET_SIZE -> "Commit fewer partitions at a time.";
            case TOPIC_AUTHORIZATION_FAILED,
                    GROUP_AUTHORIZATION_FAILED,
                    CLUSTER_AUTHORIZATION_FAILED,
                    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
                    DELEGATION_TOKEN_AUTHORIZATION_FAILED -> SECURITY;
            case INVALID_TIMESTAMP ->
                "Mend the clock of the producer, or the timestamps it sets; the topic's"
                        + " message.timestamp.before.max.ms and message.timestamp.after.max.ms say how far they may be"
                        + " from the broker's clock.";
            case UNSUPPORTED_SASL_MECHANISM ->
                "Set the client's sasl.mechanism to one of sasl.enabled.mechanisms of the listener.";
            case ILLEGAL_SASL_STATE ->
                "Client and listener do not agree: set the client's security.protocol to what"
                        + " listener.security.protocol.map says of the listener.";
            case UNSUPPORTED_VERSION ->
                "Use a client that speaks the versions this node serves, or do without the feature. An address of a"
                        + " controller belongs to --bootstrap-controller, a broker's to --bootstrap-server.";
            case TOPIC_ALREADY_EXISTS ->
                "Use another name, or 'moldau topics alter' to change it; deletion of a topic takes a moment.";
            case INVALID_PARTITIONS ->
                "Ask for at least 1 partition, and for more than there are: partitions are never taken away.";
            case INVALID_REPLICATION_FACTOR ->
                "Take at most as many replicas as there are brokers that serve ('moldau brokers'), or start more.";
            case INVALID_REPLICA_ASSIGNMENT ->
                "Name brokers that exist ('moldau brokers'), each once for a partition, and as many for each.";
            case INVALID_CONFIG ->
                "'moldau configs show KIND NAME --all' shows keys and values; the answer's text names the one that is"
                        + " wrong.";
            case NOT_CONTROLLER ->
                "The client looks for the active controller by itself; 'moldau quorum status' names it.";
            case INVALID_REQUEST, UNSUPPORTED_FOR_MESSAGE_FORMAT, INVALID_UPDATE_VERSION -> CLIENT_BUG;
            case POLICY_VIOLATION -> "Ask for what the cluster's policy allows; the answer's text names the rule.";
            case OUT_OF_ORDER_SEQUENCE_NUMBER ->
                "Records of this idempotent producer are missing in between: it gave some up (delivery.timeout.ms), or"
                        + " two processes share a producer id. A Java producer mends it by itself; else make a new"
                        + " producer and send again what was not acknowledged.";
            case DUPLICATE_SEQUENCE_NUMBER -> "Nothing: the records are there already.";
            case INVALID_PRODUCER_EPOCH, PRODUCER_FENCED ->
                "A newer producer has taken over. Give each instance a transactional.id of its own, end the old one,"
                        + " and send what it had not committed by the new one.";
            case INVALID_TXN_STATE, INVALID_PRODUCER_ID_MAPPING, TRANSACTION_ABORTABLE ->
                "Abort the transaction and begin another; 'moldau explain transaction ID' shows its state.";
            case INVALID_TRANSACTION_TIMEOUT ->
                "Lower the producer's transaction.timeout.ms, or raise transaction.max.timeout.ms of the brokers.";
            case CONCURRENT_TRANSACTIONS ->
                "The producer tries again by itself; 'moldau explain transaction ID' says what is not finished.";
            case TRANSACTION_COORDINATOR_FENCED,
                    STALE_CONTROLLER_EPOCH,
                    STALE_BROKER_EPOCH,
                    INELIGIBLE_REPLICA,
                    NEW_LEADER_ELECTED,
                    PRINCIPAL_DESERIALIZATION_FAILURE,
                    SNAPSHOT_NOT_FOUND,
                    POSITION_OUT_OF_RANGE,
                    INVALID_REGISTRATION,
                    INCONSISTENT_VOTER_SET,
                    UNKNOWN_CONTROLLER_ID,
                    CONTROLLER_ID_NOT_REGISTERED,
                    INVALID_VOTER_KEY,
                    FENCED_STATE_EPOCH,
                    OFFSET_MOVED_TO_TIERED_STORAGE -> BETWEEN_NODES;
            case SECURITY_DISABLED ->
                "The cluster keeps no rights: whoever reaches a listener may do everything. Set authorizer.class.name"
                        + " at every node where that is available, or close the port to others.";
            case OPERATION_NOT_ATTEMPTED -> "Mend what the other errors in the same answer name, and ask again.";
            case KAFKA_STORAGE_ERROR ->
                "'moldau explain broker ID' names the directory that failed: mend the disk and restart the broker."
                        + " Clients go to the other replicas by themselves.";
            case LOG_DIR_NOT_FOUND -> "Name one of the broker's log.dirs: 'moldau configs show broker ID log.dirs'.";
            case SASL_AUTHENTICATION_FAILED ->
                "Check name and password in the client's sasl.jaas.config; 'moldau users list' shows who has"
                        + " SCRAM credentials.";
            case UNKNOWN_PRODUCER_ID ->
                "The producer was silent for longer than producer.id.expiration.ms or its records are deleted; a"
                        + " producer of today goes on by itself.";
            case REASSIGNMENT_IN_PROGRESS -> "Wait until it has ended ('moldau topics describe TOPIC'), or cancel it.";
            case DELEGATION_TOKEN_AUTH_DISABLED,
                    DELEGATION_TOKEN_NOT_FOUND,
                    DELEGATION_TOKEN_OWNER_MISMATCH,
                    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
                    DELEGATION_TOKEN_EXPIRED -> TOKENS;
            case INVALID_PRINCIPAL_TYPE -> "Write principals as User:NAME.";
            case NON_EMPTY_GROUP, GROUP_SUBSCRIBED_TO_TOPIC ->
                "Stop its consumers first; 'moldau groups describe GROUP' shows who they are.";
            case GROUP_ID_NOT_FOUND -> "'moldau groups list' shows the groups.";
            case FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH, FETCH_SESSION_TOPIC_ID_ERROR ->
                "The consumer begins a new session by itself. If it happens all the time, there are more consumers"
                        + " than max.incremental.fetch.session.cache.slots.";
            case LISTENER_NOT_FOUND -> "Give every broker a listener of this name (listeners, advertised.listeners).";
            case TOPIC_DELETION_DISABLED ->
                "Set delete.topic.enable=true at the controllers and restart them, or empty the topic by its"
                        + " retention.ms.";
            case FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, UNKNOWN_TOPIC_ID, INCONSISTENT_TOPIC_ID ->
                "The client asks for new metadata by itself. A topic that was deleted and made again has a new id;"
                        + " 'moldau topics describe TOPIC' shows it.";
            case UNSUPPORTED_COMPRESSION_TYPE ->
                "zstd needs a client that knows it (Kafka 2.1 and newer): use a newer client, or another compression in"
                        + " producer and topic (compression.type).";
            case OFFSET_NOT_AVAILABLE -> "The client tries again by itself; a leader has just been elected.";
            case MEMBER_ID_REQUIRED -> "Nothing: the consumer joins again with the id it got.";
            case PREFERRED_LEADER_NOT_AVAILABLE, ELIGIBLE_LEADERS_NOT_AVAILABLE ->
                "Start the brokers that 'moldau explain partition TOPIC-N' names.";
            case ELECTION_NOT_NEEDED, NO_REASSIGNMENT_IN_PROGRESS, UNSTABLE_OFFSET_COMMIT ->
                "Nothing is to be done; ask again if it should have been otherwise.";
            case GROUP_MAX_SIZE_REACHED -> "Start fewer consumers, or raise group.max.size of the brokers.";
            case FENCED_INSTANCE_ID, UNRELEASED_INSTANCE_ID ->
                "Two consumers have the same group.instance.id: give each its own, or end the other one.";
            case INVALID_RECORD ->
                "Give every record of a compacted topic a key, and use a producer that writes record batches of"
                        + " version 2 (Kafka 0.11 and newer).";
            case THROTTLING_QUOTA_EXCEEDED -> "Ask again more slowly, or have the quota raised.";
            case RESOURCE_NOT_FOUND -> "Name something that exists: 'moldau users list', 'moldau configs show'.";
            case DUPLICATE_RESOURCE -> "Name each thing once in a request.";
            case UNACCEPTABLE_CREDENTIAL ->
                "Use SCRAM-SHA-256 or SCRAM-SHA-512 with 4096 to 16384 iterations and a password that is not empty.";
            case FEATURE_UPDATE_FAILED ->
                "Take a level that every node supports; the answer's text names the node that does not.";
            case DUPLICATE_BROKER_REGISTRATION ->
                "Another live broker has this node.id: give each its own, and each its own log.dirs.";
            case BROKER_ID_NOT_REGISTERED -> "'moldau brokers' shows the ids; start the node, or mend the id.";
            case INCONSISTENT_CLUSTER_ID ->
                "The address leads to another cluster: mend controller.quorum.voters or"
                        + " controller.quorum.bootstrap.servers, or give the node an empty data directory.";
            case TRANSACTIONAL_ID_NOT_FOUND ->
                "Nobody has used it, or it has expired (transactional.id.expiration.ms).";
            case UNSUPPORTED_ASSIGNOR ->
                "Set group.remote.assignor of the consumers to one of group.consumer.assignors of the brokers.";
            case MISMATCHED_ENDPOINT_TYPE, UNSUPPORTED_ENDPOINT_TYPE ->
                "Give brokers with --bootstrap-server and controllers with --bootstrap-controller.";
            case UNKNOWN_SUBSCRIPTION_ID, TELEMETRY_TOO_LARGE ->
                "The client asks for its telemetry subscription again; it loses some metrics and nothing else.";
            case INVALID_RECORD_STATE, SHARE_SESSION_NOT_FOUND, INVALID_SHARE_SESSION_EPOCH -> SHARE;
            case SHARE_SESSION_LIMIT_REACHED -> "Start fewer share consumers, or raise group.share.max.share.sessions.";
            case DUPLICATE_VOTER -> "'moldau quorum status' shows the voters; there is nothing to add.";
            case VOTER_NOT_FOUND -> "'moldau quorum status' shows the voters with their directory ids.";
            case INVALID_REGULAR_EXPRESSION -> "Mend the pattern the consumer subscribes to; it has RE2's syntax.";
            case REBOOTSTRAP_REQUIRED -> "The client begins with its bootstrap.servers again by itself.";
            case STREAMS_INVALID_TOPOLOGY,
                    STREAMS_INVALID_TOPOLOGY_EPOCH,
                    STREAMS_TOPOLOGY_FENCED,
                    STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED -> STREAMS;
            case GROUP_DELETION_FAILED -> "The answer's text says why; 'moldau groups describe GROUP' shows the group.";
        };
    }
}
