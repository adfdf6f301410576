package io.moldau.ops.metrics;

import static io.moldau.ops.metrics.MetricDefinition.counter;
import static io.moldau.ops.metrics.MetricDefinition.gauge;
import static io.moldau.ops.metrics.MetricDefinition.histogram;
import static io.moldau.ops.metrics.MetricDefinition.summary;

import java.util.ArrayList;
import java.util.List;

/// Every metric of a node that is not the JVM's, by area. Names that community dashboards know where there is an
/// equivalent, `moldau_` in front of all others.
final class Metrics {

    private static final String TOPIC = "topic";
    private static final String PARTITION = "partition";
    private static final String GROUP = "consumergroup";
    private static final String LISTENER = "listener";
    private static final String REQUEST = "request";

    /// A chapter of the documentation.
    record Area(String title, List<MetricDefinition> metrics) {}

    private static final List<Area> AREAS = new ArrayList<>();

    private static void area(String title, MetricDefinition... metrics) {
        AREAS.add(new Area(title, List.of(metrics)));
    }

    // ---- the node

    static final MetricDefinition NODE_INFO = gauge(
            "moldau_node_info",
            "Always 1; the labels say what this node is.",
            "version",
            "node_id",
            "cluster_id",
            "roles");
    static final MetricDefinition NODE_READY =
            gauge("moldau_node_ready", "1 while the node serves: what `/ready` says.");
    static final MetricDefinition BROKER_STATE = gauge(
            "kafka_server_kafkaserver_brokerstate",
            "1 while the node starts, 2 while it checks logs after a crash, 3 while it serves, 6 while it stops; as in"
                    + " Kafka, which knows more states.");
    static final MetricDefinition SCRAPE_SECONDS = gauge(
            "moldau_scrape_seconds", "How long the scrape before this one took to collect, without writing it out.");
    static final MetricDefinition LEFT_OFF = gauge(
            "moldau_metrics_left_off",
            "How many partitions, topics, groups or group_partitions have no metrics of their own, since the limits "
                    + "`moldau.metrics.max.*` are reached.",
            "what");

    static final MetricDefinition NODE_TIME = gauge(
            "moldau_node_time_seconds",
            "The node's clock, in seconds since 1970, at the scrape: nodes that differ have clocks that differ.");
    static final MetricDefinition LISTENER_REACHED = gauge(
            "moldau_advertised_listener_reached",
            "1 if the node found itself at the address it tells clients, 0 if clients will fail there; asked once, after "
                    + "the start. The node's log says why.",
            LISTENER);

    static {
        area("The node", NODE_INFO, NODE_READY, BROKER_STATE, NODE_TIME, LISTENER_REACHED, SCRAPE_SECONDS, LEFT_OFF);
    }

    // ---- requests

    static final MetricDefinition REQUESTS = counter(
            "kafka_network_requestmetrics_requests_total",
            "Requests answered, by API and version.",
            REQUEST,
            "version");
    static final MetricDefinition REQUEST_ERRORS = counter(
            "kafka_network_requestmetrics_errors_total",
            "Error codes in answers, by API and code; an answer with ten failed partitions counts ten. NONE is not "
                    + "counted.",
            REQUEST,
            "error");
    static final MetricDefinition REQUEST_SECONDS = histogram(
            "moldau_request_duration_seconds",
            "From the last byte of a request to its answer. Phase `handle`: until the handler had answered or left it to "
                    + "later; `wait`: until that later answer (a long poll, acks=all); `send`: until it was its turn on the "
                    + "connection and it was written; `total`: all three.",
            REQUEST,
            "phase");
    static final MetricDefinition REQUEST_BYTES =
            counter("moldau_request_bytes_total", "Size of requests, without their length field.", REQUEST);
    static final MetricDefinition RESPONSE_BYTES = counter("moldau_response_bytes_total", "Size of answers.", REQUEST);

    static {
        area("Requests", REQUESTS, REQUEST_ERRORS, REQUEST_SECONDS, REQUEST_BYTES, RESPONSE_BYTES);
    }

    // ---- connections and memory

    static final MetricDefinition CONNECTIONS =
            gauge("kafka_server_socket_server_metrics_connection_count", "Open connections.", LISTENER);
    static final MetricDefinition CONNECTIONS_OPENED =
            counter("kafka_server_socket_server_metrics_connection_creation_total", "Connections accepted.", LISTENER);
    static final MetricDefinition CONNECTIONS_CLOSED = counter(
            "kafka_server_socket_server_metrics_connection_close_total", "Of these, those that ended.", LISTENER);
    static final MetricDefinition FAILED_LOGINS = counter(
            "kafka_server_socket_server_metrics_failed_authentication_total",
            "Steps of a login by SASL that were refused; as long as no listener takes SASL, all of them.");
    static final MetricDefinition CONNECTIONS_DROPPED = counter(
            "moldau_connections_dropped_total",
            "Connections this node refused or closed, by cause: `too_many_connections`, `idle`, `bad_request` and so on.",
            LISTENER,
            "cause");
    static final MetricDefinition READING_PAUSED = gauge(
            "moldau_connections_reading_paused",
            "Connections that are not read from now: too many open requests, too much unsent, or no request memory left.",
            LISTENER);
    static final MetricDefinition READING_PAUSES =
            counter("moldau_connections_reading_pauses_total", "How often reading was paused.", LISTENER);
    static final MetricDefinition REQUEST_MEMORY =
            gauge("moldau_request_memory_bytes", "Bytes of requests that were read and are not answered.");
    static final MetricDefinition REQUEST_MEMORY_LIMIT =
            gauge("moldau_request_memory_limit_bytes", "Above this nothing is read (`queued.max.request.bytes`).");
    static final MetricDefinition UNSENT =
            gauge("moldau_unsent_response_bytes", "Bytes of answers that peers have not taken yet.");
    static final MetricDefinition NETTY_POOLED =
            gauge("moldau_netty_pooled_memory_bytes", "Direct memory that the buffer pool has taken.");
    static final MetricDefinition NETTY_DIRECT =
            gauge("moldau_netty_direct_memory_bytes", "Direct memory in use by Netty, the pool's included.");
    static final MetricDefinition FETCH_SESSIONS = gauge(
            "kafka_server_fetchsessioncache_numincrementalfetchsessions", "Fetch sessions of clients and followers.");
    static final MetricDefinition FETCH_SESSION_EVICTIONS = counter(
            "kafka_server_fetchsessioncache_incrementalfetchsessionevictions_total",
            "Fetch sessions that lost their place to another.");
    static final MetricDefinition PRODUCE_WAITS = gauge(
            "kafka_server_delayedoperationpurgatory_purgatorysize",
            "Requests that wait; `Produce` for in-sync replicas, in partitions; `Verification` for the transaction "
                    + "coordinator, in batches.",
            "delayedoperation");

    static {
        area(
                "Connections and memory",
                CONNECTIONS,
                CONNECTIONS_OPENED,
                CONNECTIONS_CLOSED,
                FAILED_LOGINS,
                CONNECTIONS_DROPPED,
                READING_PAUSED,
                READING_PAUSES,
                REQUEST_MEMORY,
                REQUEST_MEMORY_LIMIT,
                UNSENT,
                NETTY_POOLED,
                NETTY_DIRECT,
                FETCH_SESSIONS,
                FETCH_SESSION_EVICTIONS,
                PRODUCE_WAITS);
    }

    // ---- traffic

    static final MetricDefinition MESSAGES_IN = counter(
            "kafka_server_brokertopicmetrics_messagesin_total",
            "Records produced to replicas this node leads. The topic `(others)` is all that are over "
                    + "`moldau.metrics.max.topics`; it holds for this whole table.",
            TOPIC);
    static final MetricDefinition BYTES_IN = counter(
            "kafka_server_brokertopicmetrics_bytesin_total", "Bytes of record batches produced, as sent.", TOPIC);
    static final MetricDefinition BYTES_OUT = counter(
            "kafka_server_brokertopicmetrics_bytesout_total", "Bytes of record batches sent to consumers.", TOPIC);
    static final MetricDefinition PRODUCE_REQUESTS = counter(
            "kafka_server_brokertopicmetrics_totalproducerequests_total",
            "Appends of producers, done or refused, by partition of a request.",
            TOPIC);
    static final MetricDefinition FETCH_REQUESTS = counter(
            "kafka_server_brokertopicmetrics_totalfetchrequests_total",
            "Consumers' fetches that were answered with records or an error, by partition of a request.",
            TOPIC);
    static final MetricDefinition FAILED_PRODUCE = counter(
            "kafka_server_brokertopicmetrics_failedproducerequests_total",
            "Appends that were refused, by partition of a request.",
            TOPIC);
    static final MetricDefinition FAILED_FETCH = counter(
            "kafka_server_brokertopicmetrics_failedfetchrequests_total",
            "Fetches answered with an error, by partition of a request.",
            TOPIC);
    static final MetricDefinition REPLICATION_IN = counter(
            "kafka_server_brokertopicmetrics_replicationbytesin_total", "Bytes this node's followers appended.", TOPIC);
    static final MetricDefinition REPLICATION_OUT =
            counter("kafka_server_brokertopicmetrics_replicationbytesout_total", "Bytes sent to followers.", TOPIC);

    static {
        area(
                "Traffic by topic",
                MESSAGES_IN,
                BYTES_IN,
                BYTES_OUT,
                PRODUCE_REQUESTS,
                FETCH_REQUESTS,
                FAILED_PRODUCE,
                FAILED_FETCH,
                REPLICATION_IN,
                REPLICATION_OUT);
    }

    // ---- logs

    static final MetricDefinition LOG_SIZE =
            gauge("kafka_log_log_size", "Bytes of a replica's segments on this node.", TOPIC, PARTITION);
    static final MetricDefinition LOG_START =
            gauge("kafka_log_log_logstartoffset", "The first offset of a replica on this node.", TOPIC, PARTITION);
    static final MetricDefinition LOG_END =
            gauge("kafka_log_log_logendoffset", "The next offset of a replica on this node.", TOPIC, PARTITION);
    static final MetricDefinition LOG_SEGMENTS =
            gauge("kafka_log_log_numlogsegments", "Segments of a replica on this node.", TOPIC, PARTITION);
    static final MetricDefinition LOG_BYTES = gauge("moldau_log_bytes", "Bytes of all replicas on this node.");
    static final MetricDefinition LOG_APPENDED =
            counter("moldau_log_appended_bytes_total", "Bytes appended to logs, by producers and by replication.");
    static final MetricDefinition FLUSH_SECONDS =
            histogram("moldau_log_flush_duration_seconds", "How long it took to force a log's files to the disk.");
    static final MetricDefinition SEGMENTS_ROLLED =
            counter("moldau_log_segments_rolled_total", "Segments that were begun.");
    static final MetricDefinition SEGMENTS_DELETED =
            counter("moldau_log_segments_deleted_total", "Segments removed by retention or by deletion of records.");
    static final MetricDefinition LOG_DELETED =
            counter("moldau_log_deleted_bytes_total", "Bytes of the segments that were removed.");
    static final MetricDefinition RECOVERIES =
            counter("moldau_log_recoveries_total", "Logs that were checked since they may have been torn.");
    static final MetricDefinition RECOVERED_BYTES =
            counter("moldau_log_recovered_bytes_total", "Bytes read by those checks.");
    static final MetricDefinition RECOVERY_LOGS_LEFT =
            gauge("moldau_log_recovery_logs_left", "Logs that must be checked after a crash before they can be used.");
    static final MetricDefinition RECOVERY_BYTES_LEFT =
            gauge("moldau_log_recovery_bytes_left", "About how many bytes of them have to be read.");
    static final MetricDefinition HELD_BY_FUTURE = gauge(
            "moldau_log_retention_held_by_future",
            "Logs of which records with a time ahead of the clock keep old segments, as retention saw them last.");
    static final MetricDefinition DOOMED_BYTES = gauge(
            "moldau_log_doomed_bytes",
            "Bytes that retention let go of and whose files were still there when it looked last.");
    static final MetricDefinition CUT_BYTES =
            counter("moldau_log_cut_bytes_total", "Bytes cut off by them: torn batches.");
    static final MetricDefinition INDEX_REBUILDS =
            counter("moldau_log_index_rebuilds_total", "Indexes that were missing or wrong and were made again.");
    static final MetricDefinition LOCK_CONTENDED = counter(
            "moldau_log_append_lock_contended_total",
            "How often two threads met at one log; should hardly ever happen.");
    static final MetricDefinition OFFLINE_DIRECTORIES =
            gauge("kafka_log_logmanager_offlinelogdirectorycount", "Data directories whose disk failed.");
    static final MetricDefinition DIRECTORY_USABLE =
            gauge("moldau_log_directory_usable_bytes", "Free space where a data directory is.", "directory");
    static final MetricDefinition DIRECTORY_TOTAL =
            gauge("moldau_log_directory_total_bytes", "Size of the disk where a data directory is.", "directory");
    static final MetricDefinition DIRECTORY_SPACE = gauge(
            "moldau_log_directory_space_level",
            "Room in a data directory: 0 enough, 1 short (topics over their budget are refused), 2 full (records of "
                    + "clients are refused).",
            "directory");
    static final MetricDefinition DIRECTORY_RESERVE = gauge(
            "moldau_log_directory_space_reserved",
            "Whether the room kept ahead in a data directory is there; 0 if it was given up.",
            "directory");
    static final MetricDefinition DIRECTORY_RAN_OUT = counter(
            "moldau_log_directory_ran_out_total",
            "How often a write to a data directory was told that the disk is full.",
            "directory");

    static final MetricDefinition CORDONED_DIRECTORIES =
            gauge("kafka_log_logmanager_cordonedlogdirectorycount", "Data directories that get no new replicas.");
    static final MetricDefinition MOVES =
            gauge("moldau_log_moves", "Replicas that move from one data directory to another.");
    static final MetricDefinition MOVES_LAG =
            gauge("moldau_log_moves_offset_lag", "How many offsets the copies of these are behind, together.");
    static final MetricDefinition MOVED_BYTES =
            counter("moldau_log_moves_bytes_total", "Bytes gone over for such moves.");
    static final MetricDefinition MOVES_COMPLETED =
            counter("moldau_log_moves_completed_total", "Such moves that came to their end.");
    static final MetricDefinition MOVES_FAILED = counter(
            "moldau_log_moves_failed_total",
            "Such moves that were given up: a disk failed, or the log is damaged; the node's log says which.");

    // ---- compaction

    static final MetricDefinition MAX_DIRTY_PERCENT = gauge(
            "kafka_log_logcleanermanager_max_dirty_percent",
            "The largest share, in percent, of a compacted log that could be cleaned and is not yet.");
    static final MetricDefinition UNCLEANABLE = gauge(
            "kafka_log_logcleanermanager_uncleanable_partitions_count",
            "Logs that cannot be compacted; each is tried again, and the node's log says why.",
            "directory");
    static final MetricDefinition UNCLEANABLE_BYTES =
            gauge("kafka_log_logcleanermanager_uncleanable_bytes", "Bytes of these logs.", "directory");
    static final MetricDefinition RECOPY_PERCENT = gauge(
            "kafka_log_logcleaner_cleaner_recopy_percent",
            "What the last compaction left of the segments it wrote anew, in percent.");
    static final MetricDefinition MAX_CLEAN_TIME =
            gauge("kafka_log_logcleaner_max_clean_time_secs", "How long the last compaction took.");
    static final MetricDefinition KEYS_UTILIZATION = gauge(
            "kafka_log_logcleaner_max_buffer_utilization_percent",
            "How much of the memory for keys the last compaction needed, in percent.");
    static final MetricDefinition CLEANER_LOOKED = gauge(
            "moldau_log_cleaner_last_run_time_seconds",
            "When the cleaner looked for a log to compact last, in seconds since 1970; 0 before.");
    static final MetricDefinition CLEANINGS = counter("moldau_log_cleanings_total", "Compactions of a log.");
    static final MetricDefinition CLEANING_FAILURES =
            counter("moldau_log_cleaning_failures_total", "Compactions that failed.");
    static final MetricDefinition CLEANER_READ =
            counter("moldau_log_cleaner_read_bytes_total", "Bytes that compactions read.");
    static final MetricDefinition CLEANER_WRITTEN =
            counter("moldau_log_cleaner_written_bytes_total", "Bytes that compactions wrote.");

    static {
        area(
                "Compaction",
                MAX_DIRTY_PERCENT,
                UNCLEANABLE,
                UNCLEANABLE_BYTES,
                RECOPY_PERCENT,
                MAX_CLEAN_TIME,
                KEYS_UTILIZATION,
                CLEANER_LOOKED,
                CLEANINGS,
                CLEANING_FAILURES,
                CLEANER_READ,
                CLEANER_WRITTEN);
    }

    static {
        area(
                "Logs",
                LOG_SIZE,
                LOG_START,
                LOG_END,
                LOG_SEGMENTS,
                LOG_BYTES,
                LOG_APPENDED,
                FLUSH_SECONDS,
                SEGMENTS_ROLLED,
                SEGMENTS_DELETED,
                LOG_DELETED,
                HELD_BY_FUTURE,
                DOOMED_BYTES,
                RECOVERY_LOGS_LEFT,
                RECOVERY_BYTES_LEFT,
                RECOVERIES,
                RECOVERED_BYTES,
                CUT_BYTES,
                INDEX_REBUILDS,
                LOCK_CONTENDED,
                OFFLINE_DIRECTORIES,
                DIRECTORY_USABLE,
                DIRECTORY_TOTAL,
                DIRECTORY_SPACE,
                DIRECTORY_RESERVE,
                DIRECTORY_RAN_OUT,
                CORDONED_DIRECTORIES,
                MOVES,
                MOVES_LAG,
                MOVED_BYTES,
                MOVES_COMPLETED,
                MOVES_FAILED);
    }

    // ---- replicas

    static final MetricDefinition PARTITION_COUNT =
            gauge("kafka_server_replicamanager_partitioncount", "Replicas on this node in working order.");
    static final MetricDefinition LEADER_COUNT =
            gauge("kafka_server_replicamanager_leadercount", "Partitions this node leads.");
    static final MetricDefinition UNDER_REPLICATED = gauge(
            "kafka_server_replicamanager_underreplicatedpartitions",
            "Partitions this node leads with fewer replicas in sync than they have.");
    static final MetricDefinition UNDER_MIN_ISR = gauge(
            "kafka_server_replicamanager_underminisrpartitioncount",
            "Partitions this node leads with fewer replicas in sync than `min.insync.replicas`: acks=all fails.");
    static final MetricDefinition AT_MIN_ISR = gauge(
            "kafka_server_replicamanager_atminisrpartitioncount",
            "Partitions this node leads with just `min.insync.replicas` in sync: none more may go.");
    static final MetricDefinition OFFLINE_REPLICAS =
            gauge("kafka_server_replicamanager_offlinereplicacount", "Replicas on this node whose disk failed.");
    static final MetricDefinition PRODUCER_IDS = gauge(
            "kafka_server_replicamanager_produceridcount",
            "Idempotent and transactional producers that the logs of this node remember.");
    static final MetricDefinition OPEN_TRANSACTIONS = gauge(
            "moldau_log_open_transactions", "Transactions that are open in partitions of this node, each for itself.");
    static final MetricDefinition REASSIGNING = gauge(
            "kafka_server_replicamanager_reassigningpartitions", "Partitions this node leads that are being moved.");
    static final MetricDefinition ISR_SHRINKS = counter(
            "kafka_server_replicamanager_isrshrinks_total",
            "How often a replica left the in-sync replicas of a partition this node leads.");
    static final MetricDefinition ISR_EXPANDS = counter(
            "kafka_server_replicamanager_isrexpands_total",
            "How often a replica joined the in-sync replicas of a partition this node leads.");
    static final MetricDefinition LEADER_CHANGES = counter(
            "moldau_partition_leader_changes_total",
            "How often a partition with a replica on this node got another leader, or none.");
    static final MetricDefinition UNCLEAN_ELECTIONS = counter(
            "kafka_controller_controllerstats_uncleanleaderelections_total",
            "How often this node came to lead a partition though it was neither in sync nor known to have all that was "
                    + "committed: records may be lost.");
    static final MetricDefinition LEADER_THROTTLED = gauge(
            "kafka_server_leaderreplication_byte_rate",
            "Bytes a second that this node sends for throttled replicas (KIP-73).");
    static final MetricDefinition FOLLOWER_THROTTLED = gauge(
            "kafka_server_followerreplication_byte_rate",
            "Bytes a second that this node fetches for throttled replicas.");
    static final MetricDefinition THROTTLE_LIMIT = gauge(
            "moldau_replication_throttle_limit_bytes",
            "What `leader.` and `follower.replication.throttled.rate` allow, bytes a second; absent without a limit.",
            "side");
    static final MetricDefinition THROTTLE_WAITS = counter(
            "moldau_replication_throttled_total",
            "How often copying of a throttled replica had to wait, as its `leader` or as its `follower`.",
            "side");
    static final MetricDefinition TOPIC_PARTITIONS =
            gauge("kafka_topic_partitions", "Partitions of a topic; told by the leader of its partition 0.", TOPIC);
    static final MetricDefinition CURRENT_OFFSET = gauge(
            "kafka_topic_partition_current_offset",
            "The high watermark: the offset the next committed record gets. As all of `kafka_topic_partition_*`, told by "
                    + "the leader.",
            TOPIC,
            PARTITION);
    static final MetricDefinition OLDEST_OFFSET =
            gauge("kafka_topic_partition_oldest_offset", "The first offset that can be read.", TOPIC, PARTITION);
    static final MetricDefinition PARTITION_ISR =
            gauge("kafka_topic_partition_in_sync_replica", "Replicas in sync.", TOPIC, PARTITION);
    static final MetricDefinition PARTITION_REPLICAS =
            gauge("kafka_topic_partition_replicas", "Replicas.", TOPIC, PARTITION);
    static final MetricDefinition PARTITION_LEADER =
            gauge("kafka_topic_partition_leader", "Node id of the leader.", TOPIC, PARTITION);

    static final MetricDefinition PARTITION_PREFERRED =
            gauge("kafka_topic_partition_leader_is_preferred", "1 if the preferred replica leads.", TOPIC, PARTITION);
    static final MetricDefinition PARTITION_UNDER_REPLICATED = gauge(
            "kafka_topic_partition_under_replicated_partition",
            "1 if fewer replicas are in sync than there are.",
            TOPIC,
            PARTITION);
    static final MetricDefinition PARTITION_UNDER_MIN_ISR = gauge(
            "kafka_cluster_partition_underminisr",
            "1 if fewer replicas are in sync than `min.insync.replicas`.",
            TOPIC,
            PARTITION);
    static final MetricDefinition PARTITION_AT_MIN_ISR =
            gauge("kafka_cluster_partition_atminisr", "1 if just `min.insync.replicas` are in sync.", TOPIC, PARTITION);

    static {
        area(
                "Replicas",
                PARTITION_COUNT,
                LEADER_COUNT,
                UNDER_REPLICATED,
                UNDER_MIN_ISR,
                AT_MIN_ISR,
                OFFLINE_REPLICAS,
                PRODUCER_IDS,
                OPEN_TRANSACTIONS,
                REASSIGNING,
                ISR_SHRINKS,
                ISR_EXPANDS,
                LEADER_CHANGES,
                UNCLEAN_ELECTIONS,
                LEADER_THROTTLED,
                FOLLOWER_THROTTLED,
                THROTTLE_LIMIT,
                THROTTLE_WAITS,
                TOPIC_PARTITIONS,
                CURRENT_OFFSET,
                OLDEST_OFFSET,
                PARTITION_ISR,
                PARTITION_REPLICAS,
                PARTITION_LEADER,
                PARTITION_PREFERRED,
                PARTITION_UNDER_REPLICATED,
                PARTITION_UNDER_MIN_ISR,
                PARTITION_AT_MIN_ISR);
    }

    // ---- the cluster

    static final MetricDefinition BROKERS =
            gauge("kafka_brokers", "Brokers that are registered and not fenced, as this node knows.");
    static final MetricDefinition BROKER_INFO = gauge(
            "kafka_broker_info",
            "Always 1; a registered broker and the first address it tells clients. Every node tells all of them.",
            "id",
            "address");
    static final MetricDefinition METADATA_LAG = gauge(
            "moldau_metadata_lag",
            "Entries of the metadata log that a controller had when it answered last, and this node has not yet.");
    static final MetricDefinition METADATA_SILENCE = gauge(
            "moldau_metadata_silence_seconds",
            "Since when no controller has answered this node's fetch of metadata; with nothing new one answers within "
                    + "ten seconds.");
    static final MetricDefinition METADATA_OFFSET = gauge(
            "kafka_server_brokermetadatametrics_last_applied_record_offset",
            "Up to where this node knows the metadata log. A node that stays behind the others is cut off from it.");
    static final MetricDefinition METADATA_TIMESTAMP = gauge(
            "kafka_server_brokermetadatametrics_last_applied_record_timestamp",
            "When the controller wrote the last of it, in milliseconds since 1970.");
    static final MetricDefinition ACTIVE_CONTROLLER = gauge(
            "kafka_controller_kafkacontroller_activecontrollercount",
            "1 on the active controller, 0 on other controllers.");
    static final MetricDefinition OFFLINE_PARTITIONS = gauge(
            "kafka_controller_kafkacontroller_offlinepartitionscount",
            "Partitions of the cluster without a leader. As the next ones told by every controller: take the maximum, not "
                    + "the sum.");
    static final MetricDefinition IMBALANCE = gauge(
            "kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
            "Partitions that another than their preferred replica leads.");
    static final MetricDefinition GLOBAL_TOPICS =
            gauge("kafka_controller_kafkacontroller_globaltopiccount", "Topics of the cluster.");
    static final MetricDefinition GLOBAL_PARTITIONS =
            gauge("kafka_controller_kafkacontroller_globalpartitioncount", "Partitions of the cluster.");
    static final MetricDefinition ACTIVE_BROKERS =
            gauge("kafka_controller_kafkacontroller_activebrokercount", "Brokers that are not fenced.");
    static final MetricDefinition FENCED_BROKERS = gauge(
            "kafka_controller_kafkacontroller_fencedbrokercount",
            "Registered brokers that are fenced: down, or starting.");

    static {
        area(
                "The cluster",
                BROKERS,
                BROKER_INFO,
                METADATA_LAG,
                METADATA_SILENCE,
                METADATA_OFFSET,
                METADATA_TIMESTAMP,
                ACTIVE_CONTROLLER,
                OFFLINE_PARTITIONS,
                IMBALANCE,
                GLOBAL_TOPICS,
                GLOBAL_PARTITIONS,
                ACTIVE_BROKERS,
                FENCED_BROKERS);
    }

    // ---- quorum and controller

    static final MetricDefinition QUORUM_LEADER = gauge(
            "kafka_server_raftmetrics_current_leader", "Node id of the quorum's leader, -1 if this node knows none.");
    static final MetricDefinition QUORUM_EPOCH = gauge("kafka_server_raftmetrics_current_epoch", "The Raft term.");
    static final MetricDefinition QUORUM_HIGH_WATERMARK = gauge(
            "kafka_server_raftmetrics_high_watermark", "The first offset of the metadata log that is not committed.");
    static final MetricDefinition QUORUM_LOG_END =
            gauge("kafka_server_raftmetrics_log_end_offset", "Where this node's copy of the metadata log ends.");
    static final MetricDefinition QUORUM_ROLE = gauge(
            "kafka_server_raftmetrics_current_state",
            "1 for what this controller is: `leader`, `follower` (a voter that does not lead) or `observer`.",
            "current_state");
    static final MetricDefinition QUORUM_VOTERS = gauge("moldau_quorum_voters", "Voters of the quorum.");
    static final MetricDefinition QUORUM_APPLY_LAG =
            gauge("moldau_quorum_apply_lag", "Committed entries this controller has not applied yet.");
    static final MetricDefinition VOTER_LAG =
            gauge("moldau_quorum_voter_lag", "Entries a voter does not have yet. Told by the leader.", "voter");
    static final MetricDefinition VOTER_SILENCE = gauge(
            "moldau_quorum_voter_silence_seconds",
            "Since when the leader has not heard of a voter. Told by the leader.",
            "voter");
    static final MetricDefinition QUORUM_LEADER_CHANGES = counter(
            "moldau_quorum_leader_changes_total", "How often this node saw another leader, or a new term: elections.");
    static final MetricDefinition COMMIT_SECONDS = histogram(
            "moldau_quorum_commit_duration_seconds",
            "From handing a batch to the quorum until it was committed and applied.");
    static final MetricDefinition COMMITTED_BYTES =
            counter("moldau_quorum_committed_bytes_total", "Bytes of batches this node had committed.");
    static final MetricDefinition FENCED_BATCHES =
            counter("moldau_quorum_fenced_batches_total", "Batches stopped since they were made in an earlier epoch.");
    static final MetricDefinition EPOCH_MISMATCHES =
            counter("moldau_quorum_epoch_mismatches_total", "Entries of a wrong epoch in the log: must stay 0.");
    static final MetricDefinition CHANNEL_RESETS = counter(
            "moldau_quorum_channel_resets_total",
            "How often connections to voters were made anew for want of a leader.");
    static final MetricDefinition SNAPSHOTS = counter("moldau_quorum_snapshots_total", "Snapshots written.");
    static final MetricDefinition SNAPSHOT_BYTES =
            gauge("moldau_quorum_snapshot_bytes", "Size of the newest snapshot; absent if there is none.");
    static final MetricDefinition SNAPSHOT_OFFSET =
            gauge("moldau_quorum_snapshot_offset", "The last offset it covers.");
    static final MetricDefinition SNAPSHOT_AGE = gauge(
            "moldau_quorum_snapshot_age_seconds", "Since the newest snapshot was written; absent if there is none.");
    static final MetricDefinition RATIS_EVENTS = counter(
            "moldau_ratis_events_total",
            "Counters that Apache Ratis keeps of itself, under its own names.",
            "component",
            "event");
    static final MetricDefinition RATIS_SECONDS = summary(
            "moldau_ratis_duration_seconds",
            "What Apache Ratis times of itself, under its own names: elections, appends, flushes of its log and so on.",
            "component",
            "timer");
    static final MetricDefinition RATIS_GAUGE = gauge(
            "moldau_ratis_gauge",
            "What Apache Ratis measures of itself, under its own names: queues, caches, positions of followers.",
            "component",
            "gauge");
    static final MetricDefinition CONTROLLER_ACTIVATIONS =
            counter("moldau_controller_activations_total", "How often this controller became the active one.");
    static final MetricDefinition CONTROLLER_OPERATIONS = counter(
            "moldau_controller_operations_total", "Operations the active controller answered, by kind.", "operation");
    static final MetricDefinition CONTROLLER_SECONDS = histogram(
            "moldau_controller_operation_duration_seconds", "From asking the active controller until it answered.");
    static final MetricDefinition CONTROLLER_BATCHES =
            counter("moldau_controller_batches_total", "Batches of the active controller that were committed.");
    static final MetricDefinition CONTROLLER_RECORDS =
            counter("moldau_controller_records_total", "Metadata records in them.");
    static final MetricDefinition CONTROLLER_OVERLOADED =
            counter("moldau_controller_overloaded_total", "Operations refused since too many waited.");
    static final MetricDefinition CONTROLLER_FENCED =
            counter("moldau_controller_brokers_fenced_total", "Brokers the active controller fenced.");

    static {
        area(
                "Quorum and controller",
                QUORUM_LEADER,
                QUORUM_EPOCH,
                QUORUM_HIGH_WATERMARK,
                QUORUM_LOG_END,
                QUORUM_ROLE,
                QUORUM_VOTERS,
                QUORUM_APPLY_LAG,
                VOTER_LAG,
                VOTER_SILENCE,
                QUORUM_LEADER_CHANGES,
                COMMIT_SECONDS,
                COMMITTED_BYTES,
                FENCED_BATCHES,
                EPOCH_MISMATCHES,
                CHANNEL_RESETS,
                SNAPSHOTS,
                SNAPSHOT_BYTES,
                SNAPSHOT_OFFSET,
                SNAPSHOT_AGE,
                RATIS_EVENTS,
                RATIS_SECONDS,
                RATIS_GAUGE,
                CONTROLLER_ACTIVATIONS,
                CONTROLLER_OPERATIONS,
                CONTROLLER_SECONDS,
                CONTROLLER_BATCHES,
                CONTROLLER_RECORDS,
                CONTROLLER_OVERLOADED,
                CONTROLLER_FENCED);
    }

    // ---- groups

    static final MetricDefinition GROUPS =
            gauge("kafka_coordinator_group_groupmetadatamanager_numgroups", "Groups this node coordinates.");
    static final MetricDefinition GROUPS_EMPTY = gauge(
            "kafka_coordinator_group_groupmetadatamanager_numgroupsempty",
            "Of these, those without members. As the next ones only over `moldau.metrics.max.groups` groups.");
    static final MetricDefinition GROUPS_STABLE = gauge(
            "kafka_coordinator_group_groupmetadatamanager_numgroupsstable",
            "Those whose members have their partitions.");
    static final MetricDefinition GROUPS_PREPARING = gauge(
            "kafka_coordinator_group_groupmetadatamanager_numgroupspreparingrebalance",
            "Those that wait for members to join.");
    static final MetricDefinition GROUPS_COMPLETING = gauge(
            "kafka_coordinator_group_groupmetadatamanager_numgroupscompletingrebalance",
            "Those that wait for the leader's assignment.");
    static final MetricDefinition GROUPS_DEAD =
            gauge("kafka_coordinator_group_groupmetadatamanager_numgroupsdead", "Those that are being removed.");
    static final MetricDefinition GROUPS_BY_PROTOCOL =
            gauge("kafka_server_group_coordinator_metrics_group_count", "Groups this node coordinates.", "protocol");
    static final MetricDefinition CONSUMER_GROUPS = gauge(
            "kafka_server_group_coordinator_metrics_consumer_group_count",
            "Of these, those of the consumer protocol.",
            "state");
    static final MetricDefinition CONSUMER_GROUP_REBALANCES = counter(
            "kafka_server_group_coordinator_metrics_consumer_group_rebalance_total",
            "How often groups of the consumer protocol began to divide their partitions anew.");
    static final MetricDefinition CLASSIC_GROUP_REBALANCES = counter(
            "kafka_server_group_coordinator_metrics_group_completed_rebalance_total",
            "How often classic groups have divided their partitions anew.");
    static final MetricDefinition GROUP_STATE =
            gauge("moldau_consumergroup_state", "1 for the state a group is in.", GROUP, "state");
    static final MetricDefinition GROUP_MEMBERS = gauge("kafka_consumergroup_members", "Members of a group.", GROUP);
    static final MetricDefinition GROUP_OFFSET = gauge(
            "kafka_consumergroup_current_offset",
            "What a group has committed for a partition.",
            GROUP,
            TOPIC,
            PARTITION);
    static final MetricDefinition GROUP_OFFSET_SUM =
            gauge("kafka_consumergroup_current_offset_sum", "The same, over the partitions of a topic.", GROUP, TOPIC);
    static final MetricDefinition GROUP_LAG = gauge(
            "kafka_consumergroup_lag",
            "Records between what a group has committed and the high watermark. Absent while the leader of a partition "
                    + "does not answer the group's coordinator.",
            GROUP,
            TOPIC,
            PARTITION);
    static final MetricDefinition GROUP_LAG_SUM =
            gauge("kafka_consumergroup_lag_sum", "The same, over the partitions of a topic.", GROUP, TOPIC);
    static final MetricDefinition GROUP_LAG_SECONDS = gauge(
            "moldau_consumergroup_lag_seconds",
            "Age of the oldest record a group has not read, by its timestamp; 0 if it has read all. Of partitions without a "
                    + "replica on the coordinator a hundred are looked up at each scrape.",
            GROUP,
            TOPIC,
            PARTITION);
    static final MetricDefinition GROUP_LAG_SECONDS_MAX =
            gauge("moldau_consumergroup_lag_max_seconds", "The greatest of these, by group.", GROUP);
    static final MetricDefinition GROUP_LAG_AT = gauge(
            "moldau_consumergroup_lag_at_seconds",
            "When this node last looked at lags, seconds since 1970; ages are as of then. At most once a second.");
    static final MetricDefinition GROUP_UNKNOWN = gauge(
            "moldau_consumergroup_partitions_unknown",
            "Partitions a group has committed offsets for whose end is not known: their leader does not answer.",
            GROUP);
    static final MetricDefinition SHARDS_LOADED = counter(
            "moldau_coordinator_shards_loaded_total",
            "Partitions of `__consumer_offsets` and `__transaction_state` that were loaded.");
    static final MetricDefinition SHARD_RECORDS =
            counter("moldau_coordinator_loaded_records_total", "Records read by that.");
    static final MetricDefinition SHARD_LOAD_SECONDS =
            histogram("moldau_coordinator_load_duration_seconds", "How long it took to load one.");
    static final MetricDefinition SHARDS_FAILED =
            counter("moldau_coordinator_load_failures_total", "Partitions that could not be loaded.");
    static final MetricDefinition SHARDS_UNLOADED =
            counter("moldau_coordinator_shards_unloaded_total", "Partitions that were given up.");
    static final MetricDefinition SHARDS_LOADING =
            gauge("moldau_coordinator_shards_loading", "Partitions whose groups cannot be told yet.");
    static final MetricDefinition COORDINATOR_BATCHES =
            counter("moldau_coordinator_batches_total", "Batches the coordinators wrote.");
    static final MetricDefinition COORDINATOR_RECORDS = counter("moldau_coordinator_records_total", "Records in them.");
    static final MetricDefinition COORDINATOR_FAILURES = counter(
            "moldau_coordinator_failed_operations_total", "Operations whose batch could not be written.", "error");
    static final MetricDefinition COORDINATOR_COMMIT_SECONDS =
            histogram("moldau_coordinator_commit_duration_seconds", "From planning a batch until it was committed.");

    static {
        area(
                "Groups",
                GROUPS,
                GROUPS_EMPTY,
                GROUPS_STABLE,
                GROUPS_PREPARING,
                GROUPS_COMPLETING,
                GROUPS_DEAD,
                GROUPS_BY_PROTOCOL,
                CONSUMER_GROUPS,
                CONSUMER_GROUP_REBALANCES,
                CLASSIC_GROUP_REBALANCES,
                GROUP_STATE,
                GROUP_MEMBERS,
                GROUP_OFFSET,
                GROUP_OFFSET_SUM,
                GROUP_LAG,
                GROUP_LAG_SUM,
                GROUP_LAG_SECONDS,
                GROUP_LAG_SECONDS_MAX,
                GROUP_LAG_AT,
                GROUP_UNKNOWN,
                SHARDS_LOADED,
                SHARD_RECORDS,
                SHARD_LOAD_SECONDS,
                SHARDS_FAILED,
                SHARDS_UNLOADED,
                SHARDS_LOADING,
                COORDINATOR_BATCHES,
                COORDINATOR_RECORDS,
                COORDINATOR_FAILURES,
                COORDINATOR_COMMIT_SECONDS);
    }

    // ---- transactions

    static final MetricDefinition TRANSACTIONAL_IDS =
            gauge("moldau_transactional_ids", "Transactional ids this node coordinates.");
    static final MetricDefinition TRANSACTIONS_OPEN = gauge("moldau_transactions_open", "Transactions that are open.");
    static final MetricDefinition TRANSACTIONS_ENDING = gauge(
            "moldau_transactions_ending", "Those whose end is decided and not yet known to all their partitions.");
    static final MetricDefinition MARKERS_PENDING =
            gauge("moldau_transactions_markers_pending", "Those whose end markers are on their way from this node.");
    static final MetricDefinition PRODUCERS_INITIALIZED = counter(
            "moldau_transactions_producers_initialized_total", "Producers that were given an epoch of their id.");
    static final MetricDefinition TRANSACTIONS_ENDED =
            counter("moldau_transactions_ended_total", "Transactions whose end was decided.", "result");
    static final MetricDefinition TRANSACTIONS_TIMED_OUT =
            counter("moldau_transactions_timed_out_total", "Those aborted because they were open too long.");
    static final MetricDefinition TRANSACTIONS_TAKEN_OVER = counter(
            "moldau_transactions_taken_over_total", "Those aborted because another producer took over their id.");
    static final MetricDefinition TRANSACTIONAL_IDS_EXPIRED =
            counter("moldau_transactional_ids_expired_total", "Ids that were forgotten because nobody used them.");
    static final MetricDefinition MARKERS_RETRIED =
            counter("moldau_transactions_markers_retried_total", "End markers that were sent again, by partition.");
    static final MetricDefinition TRANSACTION_COMPLETION_SECONDS = histogram(
            "moldau_transactions_completion_duration_seconds",
            "From deciding a transaction's end until all its partitions knew.");

    static {
        area(
                "Transactions",
                TRANSACTIONAL_IDS,
                TRANSACTIONS_OPEN,
                TRANSACTIONS_ENDING,
                MARKERS_PENDING,
                PRODUCERS_INITIALIZED,
                TRANSACTIONS_ENDED,
                TRANSACTIONS_TIMED_OUT,
                TRANSACTIONS_TAKEN_OVER,
                TRANSACTIONAL_IDS_EXPIRED,
                MARKERS_RETRIED,
                TRANSACTION_COMPLETION_SECONDS);
    }

    // ---- the process, under the names that Prometheus' client libraries use

    static final MetricDefinition OPEN_FILES = gauge("process_open_fds", "File descriptors it has.");
    static final MetricDefinition MAX_FILES =
            gauge("process_max_fds", "File descriptors the process may have (`ulimit -n`).");
    static final MetricDefinition CPU_SECONDS = counter("process_cpu_seconds_total", "Processor time of the process.");
    static final MetricDefinition RESIDENT =
            gauge("process_resident_memory_bytes", "Memory of the machine it takes up; where Linux tells.");
    static final MetricDefinition DISK_READ =
            gauge("kafka_server_kafkaserver_linux_disk_read_bytes", "Bytes the process had read from disks.");
    static final MetricDefinition DISK_WRITTEN =
            gauge("kafka_server_kafkaserver_linux_disk_write_bytes", "Bytes the process had written to disks.");
    static final MetricDefinition THREADS = gauge("jvm_threads_current", "Threads.");
    static final MetricDefinition COLLECTIONS =
            summary("jvm_gc_collection_seconds", "Garbage collections since the start, by collector.", "gc");

    static {
        area(
                "The process, as Prometheus' client libraries call it",
                OPEN_FILES,
                MAX_FILES,
                CPU_SECONDS,
                RESIDENT,
                DISK_READ,
                DISK_WRITTEN,
                THREADS,
                COLLECTIONS);
    }

    private Metrics() {}

    static List<Area> areas() {
        return List.copyOf(AREAS);
    }

    static List<MetricDefinition> all() {
        return AREAS.stream().flatMap(area -> area.metrics().stream()).toList();
    }
}
