package io.moldau.common;

/// Kafka's error codes: one table of code, name, whether a client may simply try again, and what it means.
///
/// Codes and names are part of the protocol; the default messages are for the field beside the code when nobody has
/// anything more precise to say.
public enum Errors {
    UNKNOWN_SERVER_ERROR(-1, false, "The server failed in a way it did not foresee; its log says more."),
    NONE(0, false, "No error."),
    OFFSET_OUT_OF_RANGE(
            1,
            false,
            "The partition holds no record at this offset: it lies before the log start or past the log end."),
    CORRUPT_MESSAGE(2, true, "The record batch is damaged: bad checksum, bad length or bad contents."),
    UNKNOWN_TOPIC_OR_PARTITION(3, true, "This server has no such topic or partition."),
    INVALID_FETCH_SIZE(4, false, "The fetch size is not valid."),
    LEADER_NOT_AVAILABLE(5, true, "The partition has no leader at the moment."),
    NOT_LEADER_OR_FOLLOWER(6, true, "This broker is not the partition's leader, or not a replica of it at all."),
    REQUEST_TIMED_OUT(7, true, "The request did not finish within its time limit."),
    BROKER_NOT_AVAILABLE(8, false, "No broker is available for this."),
    REPLICA_NOT_AVAILABLE(9, true, "The replica is not ready on this broker."),
    MESSAGE_TOO_LARGE(10, false, "A record batch is larger than max.message.bytes allows."),
    STALE_CONTROLLER_EPOCH(11, false, "The request comes from a controller that has been replaced."),
    OFFSET_METADATA_TOO_LARGE(
            12, false, "The metadata string of a committed offset is longer than offset.metadata.max.bytes."),
    NETWORK_EXCEPTION(13, true, "The connection broke before an answer arrived."),
    COORDINATOR_LOAD_IN_PROGRESS(14, true, "The coordinator is still reading its state."),
    COORDINATOR_NOT_AVAILABLE(15, true, "The coordinator cannot be reached at the moment."),
    NOT_COORDINATOR(16, true, "This broker does not coordinate this group or transaction."),
    INVALID_TOPIC_EXCEPTION(17, false, "The topic name is not valid, or the topic may not be used for this."),
    RECORD_LIST_TOO_LARGE(18, false, "The record batches together are larger than a segment may be."),
    NOT_ENOUGH_REPLICAS(19, true, "Fewer replicas are in sync than min.insync.replicas asks for; nothing was written."),
    NOT_ENOUGH_REPLICAS_AFTER_APPEND(
            20, true, "The records were written, but to fewer in-sync replicas than min.insync.replicas asks for."),
    INVALID_REQUIRED_ACKS(21, false, "The value of acks must be -1, 0 or 1."),
    ILLEGAL_GENERATION(22, false, "The group has another generation than the one given."),
    INCONSISTENT_GROUP_PROTOCOL(
            23, false, "The member supports no protocol that the rest of the group supports, or named none."),
    INVALID_GROUP_ID(24, false, "The group id is not valid."),
    UNKNOWN_MEMBER_ID(25, false, "The group has no member with this id."),
    INVALID_SESSION_TIMEOUT(
            26,
            false,
            "The session timeout lies outside group.min.session.timeout.ms to group.max.session.timeout.ms."),
    REBALANCE_IN_PROGRESS(27, false, "The group is rebalancing; the member has to join again."),
    INVALID_COMMIT_OFFSET_SIZE(28, false, "The commit is too large to be stored."),
    TOPIC_AUTHORIZATION_FAILED(29, false, "The principal may not do this with the topic."),
    GROUP_AUTHORIZATION_FAILED(30, false, "The principal may not do this with the group."),
    CLUSTER_AUTHORIZATION_FAILED(31, false, "The principal may not do this with the cluster."),
    INVALID_TIMESTAMP(32, false, "The timestamp of a record is outside the range the topic accepts."),
    UNSUPPORTED_SASL_MECHANISM(33, false, "The SASL mechanism is not enabled here."),
    ILLEGAL_SASL_STATE(34, false, "The request does not fit the current step of the SASL exchange."),
    UNSUPPORTED_VERSION(35, false, "This version of the API is not supported."),
    TOPIC_ALREADY_EXISTS(36, false, "A topic with this name exists already."),
    INVALID_PARTITIONS(37, false, "The number of partitions is not valid."),
    INVALID_REPLICATION_FACTOR(
            38, false, "The replication factor is below 1 or larger than the number of usable brokers."),
    INVALID_REPLICA_ASSIGNMENT(39, false, "The replica assignment is not valid."),
    INVALID_CONFIG(40, false, "A configuration value is not valid."),
    NOT_CONTROLLER(41, true, "This node is not the active controller."),
    INVALID_REQUEST(42, false, "The request contradicts itself or lacks something it needs."),
    UNSUPPORTED_FOR_MESSAGE_FORMAT(43, false, "The record format in use cannot do this."),
    POLICY_VIOLATION(44, false, "A policy of this cluster forbids the request."),
    OUT_OF_ORDER_SEQUENCE_NUMBER(45, false, "The producer's sequence number does not follow the last one it wrote."),
    DUPLICATE_SEQUENCE_NUMBER(46, false, "The producer's sequence number was written before."),
    INVALID_PRODUCER_EPOCH(47, false, "The producer's epoch is older than the newest one known for its id."),
    INVALID_TXN_STATE(48, false, "The transaction is not in a state that allows this."),
    INVALID_PRODUCER_ID_MAPPING(49, false, "The producer id is not the one assigned to this transactional id."),
    INVALID_TRANSACTION_TIMEOUT(50, false, "The transaction timeout is larger than transaction.max.timeout.ms."),
    CONCURRENT_TRANSACTIONS(51, true, "An earlier step of this transaction is still under way."),
    TRANSACTION_COORDINATOR_FENCED(52, false, "The transaction coordinator that sent the marker has been replaced."),
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED(53, false, "The principal may not use this transactional id."),
    SECURITY_DISABLED(54, false, "Security is not configured on this cluster."),
    OPERATION_NOT_ATTEMPTED(55, false, "The operation was not tried because another one in the same request failed."),
    KAFKA_STORAGE_ERROR(56, true, "The disk that holds the log failed."),
    LOG_DIR_NOT_FOUND(57, false, "The broker has no such log directory."),
    SASL_AUTHENTICATION_FAILED(58, false, "The SASL credentials were not accepted."),
    UNKNOWN_PRODUCER_ID(
            59, false, "Nothing is known about this producer id any more; its records may have been deleted."),
    REASSIGNMENT_IN_PROGRESS(60, false, "The partition is being reassigned."),
    DELEGATION_TOKEN_AUTH_DISABLED(61, false, "Delegation tokens are not enabled."),
    DELEGATION_TOKEN_NOT_FOUND(62, false, "There is no such delegation token."),
    DELEGATION_TOKEN_OWNER_MISMATCH(63, false, "The principal neither owns the token nor may renew it."),
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED(
            64, false, "Delegation tokens cannot be handled over this kind of connection."),
    DELEGATION_TOKEN_AUTHORIZATION_FAILED(65, false, "The principal may not do this with the delegation token."),
    DELEGATION_TOKEN_EXPIRED(66, false, "The delegation token has expired."),
    INVALID_PRINCIPAL_TYPE(67, false, "This type of principal is not supported."),
    NON_EMPTY_GROUP(68, false, "The group still has members."),
    GROUP_ID_NOT_FOUND(69, false, "There is no such group."),
    FETCH_SESSION_ID_NOT_FOUND(70, true, "There is no such fetch session."),
    INVALID_FETCH_SESSION_EPOCH(71, true, "The epoch of the fetch session is not the expected one."),
    LISTENER_NOT_FOUND(72, true, "The leader has no listener with the name of the one that took this request."),
    TOPIC_DELETION_DISABLED(73, false, "Topics cannot be deleted because delete.topic.enable is false."),
    FENCED_LEADER_EPOCH(74, true, "The leader epoch in the request is older than the partition's."),
    UNKNOWN_LEADER_EPOCH(75, true, "The leader epoch in the request is newer than the one known here."),
    UNSUPPORTED_COMPRESSION_TYPE(76, false, "The client cannot read the compression of this partition's records."),
    STALE_BROKER_EPOCH(77, false, "The broker has registered again since this epoch."),
    OFFSET_NOT_AVAILABLE(78, true, "A new leader does not know its high watermark yet."),
    MEMBER_ID_REQUIRED(79, false, "The member has to join again with the id that was given to it."),
    PREFERRED_LEADER_NOT_AVAILABLE(80, true, "The preferred replica cannot lead at the moment."),
    GROUP_MAX_SIZE_REACHED(81, false, "The group has as many members as it may have."),
    FENCED_INSTANCE_ID(82, false, "Another member uses this group.instance.id now."),
    ELIGIBLE_LEADERS_NOT_AVAILABLE(83, true, "No replica that may lead the partition is available."),
    ELECTION_NOT_NEEDED(84, true, "The partition has the leader it should have."),
    NO_REASSIGNMENT_IN_PROGRESS(85, false, "The partition is not being reassigned."),
    GROUP_SUBSCRIBED_TO_TOPIC(86, false, "The group is subscribed to this topic, so its offsets stay."),
    INVALID_RECORD(87, false, "A record was rejected by validation."),
    UNSTABLE_OFFSET_COMMIT(88, true, "The group has offsets from a transaction that is still open."),
    THROTTLING_QUOTA_EXCEEDED(89, true, "A quota is used up for now."),
    PRODUCER_FENCED(90, false, "A newer producer uses this transactional id."),
    RESOURCE_NOT_FOUND(91, false, "The request names a resource that does not exist."),
    DUPLICATE_RESOURCE(92, false, "The request names the same resource twice."),
    UNACCEPTABLE_CREDENTIAL(93, false, "The credential does not meet the rules for credentials."),
    INCONSISTENT_VOTER_SET(94, false, "The sender or the receiver is not one of the expected voters."),
    INVALID_UPDATE_VERSION(95, false, "The version of the update is not valid."),
    FEATURE_UPDATE_FAILED(96, false, "The feature levels could not be updated."),
    PRINCIPAL_DESERIALIZATION_FAILURE(97, false, "The principal of a forwarded request could not be read."),
    SNAPSHOT_NOT_FOUND(98, false, "There is no such snapshot."),
    POSITION_OUT_OF_RANGE(99, false, "The position lies outside the snapshot."),
    UNKNOWN_TOPIC_ID(100, true, "This server has no topic with this id."),
    DUPLICATE_BROKER_REGISTRATION(101, false, "Another live broker has registered with this id."),
    BROKER_ID_NOT_REGISTERED(102, false, "No broker has registered with this id."),
    INCONSISTENT_TOPIC_ID(103, true, "The topic id in the request differs from the log's."),
    INCONSISTENT_CLUSTER_ID(104, false, "The request is meant for a cluster with another id."),
    TRANSACTIONAL_ID_NOT_FOUND(105, false, "There is no such transactional id."),
    FETCH_SESSION_TOPIC_ID_ERROR(106, true, "The fetch session mixes requests with and without topic ids."),
    INELIGIBLE_REPLICA(107, false, "The new set of in-sync replicas has a member that may not be in it."),
    NEW_LEADER_ELECTED(108, false, "The change was made and gave the partition another leader."),
    OFFSET_MOVED_TO_TIERED_STORAGE(109, false, "The records at this offset are in tiered storage."),
    FENCED_MEMBER_EPOCH(
            110, false, "The coordinator fenced the member: it has to give up its partitions and join again."),
    UNRELEASED_INSTANCE_ID(111, false, "Another member holds this instance id until it leaves the group."),
    UNSUPPORTED_ASSIGNOR(112, false, "The group does not support this assignor or this version of it."),
    STALE_MEMBER_EPOCH(113, false, "The member's epoch is old; the next heartbeat tells the new one."),
    MISMATCHED_ENDPOINT_TYPE(114, false, "The request came to the wrong kind of endpoint."),
    UNSUPPORTED_ENDPOINT_TYPE(115, false, "This kind of endpoint is not supported."),
    UNKNOWN_CONTROLLER_ID(116, false, "There is no controller with this id."),
    UNKNOWN_SUBSCRIPTION_ID(117, false, "The telemetry subscription is unknown or has changed."),
    TELEMETRY_TOO_LARGE(118, false, "The telemetry is larger than the broker accepts."),
    INVALID_REGISTRATION(119, false, "The controller does not accept this registration."),
    TRANSACTION_ABORTABLE(
            120, false, "The transaction cannot go on, but may be aborted and its transactional id used further."),
    INVALID_RECORD_STATE(121, false, "The record is not in a state in which its delivery can be acknowledged."),
    SHARE_SESSION_NOT_FOUND(122, true, "There is no such share session."),
    INVALID_SHARE_SESSION_EPOCH(123, true, "The epoch of the share session is not the expected one."),
    FENCED_STATE_EPOCH(124, false, "The state epoch is not the one the coordinator knows."),
    INVALID_VOTER_KEY(125, false, "The voter key is not the one of the replica that got the request."),
    DUPLICATE_VOTER(126, false, "This replica is a voter already."),
    VOTER_NOT_FOUND(127, false, "This replica is not a voter."),
    INVALID_REGULAR_EXPRESSION(128, false, "The regular expression cannot be compiled."),
    REBOOTSTRAP_REQUIRED(
            129, false, "The client's metadata is out of date; it has to start again from its bootstrap servers."),
    STREAMS_INVALID_TOPOLOGY(130, false, "The topology is not valid."),
    STREAMS_INVALID_TOPOLOGY_EPOCH(131, false, "The epoch of the topology is not valid."),
    STREAMS_TOPOLOGY_FENCED(132, false, "The epoch of the topology is older than the group's."),
    SHARE_SESSION_LIMIT_REACHED(133, true, "There are as many share sessions as there may be."),
    GROUP_DELETION_FAILED(134, false, "The group was not deleted; the message of its result says why."),
    STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED(
            135, false, "The description of the topology was not stored; the message says why."),
    CONTROLLER_ID_NOT_REGISTERED(136, false, "No controller has registered with this id.");

    private static final Errors[] BY_CODE = byCode();

    private final short code;
    private final boolean retriable;
    private final String defaultMessage;

    Errors(int code, boolean retriable, String defaultMessage) {
        this.code = (short) code;
        this.retriable = retriable;
        this.defaultMessage = defaultMessage;
    }

    public short code() {
        return code;
    }

    /// Whether the client may send the same request again and hope.
    public boolean retriable() {
        return retriable;
    }

    public String defaultMessage() {
        return defaultMessage;
    }

    public ApiException exception() {
        return new ApiException(this, defaultMessage);
    }

    public ApiException exception(String message) {
        return new ApiException(this, message);
    }

    /// The error with this code; a code that nobody has defined yet is [#UNKNOWN_SERVER_ERROR], as in Kafka's clients.
    public static Errors forCode(short code) {
        int index = code + 1;
        return index >= 0 && index < BY_CODE.length ? BY_CODE[index] : UNKNOWN_SERVER_ERROR;
    }

    // Codes are dense from -1, which the test of this class compares with Kafka's.
    private static Errors[] byCode() {
        Errors[] all = values();
        var table = new Errors[all.length];
        for (Errors error : all) {
            table[error.code + 1] = error;
        }
        return table;
    }
}
