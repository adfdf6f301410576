package io.moldau.ops.metrics;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What the dashboards and alert rules ask for that most people have for Apache Kafka, and what tells the same here.
/// The lists were taken from the queries in the repositories named, as of 2026.
final class CommunityNames {

    /// @param name as it is asked for
    /// @param ours what tells the same, with the suffix of a histogram where that is meant; null if nothing does
    /// @param note how they differ, or why there is none
    record Asked(String name, @Nullable String ours, String note) {

        boolean isTheSame() {
            return name.equals(ours);
        }
    }

    /// Of one source.
    record Source(String title, List<Asked> asked) {}

    private static final String LATER = "comes with the feature";
    private static final String NO_POOL = "there is no pool that could idle; see the `handle` phase";
    private static final String RATE = "a counter: use `rate()`";
    private static final String QUANTILES = "a histogram: use `histogram_quantile()`";

    static final List<Source> ALL = List.of(
            new Source(
                    "`kafka_exporter`",
                    same(
                            "kafka_brokers",
                            "kafka_broker_info",
                            "kafka_topic_partitions",
                            "kafka_topic_partition_current_offset",
                            "kafka_topic_partition_oldest_offset",
                            "kafka_topic_partition_in_sync_replica",
                            "kafka_topic_partition_leader",
                            "kafka_topic_partition_leader_is_preferred",
                            "kafka_topic_partition_replicas",
                            "kafka_topic_partition_under_replicated_partition",
                            "kafka_consumergroup_current_offset",
                            "kafka_consumergroup_current_offset_sum",
                            "kafka_consumergroup_lag",
                            "kafka_consumergroup_lag_sum",
                            "kafka_consumergroup_members")),
            new Source(
                    "Strimzi's dashboards and rules (JMX exporter)",
                    Stream.concat(
                                    same(
                                            "kafka_cluster_partition_atminisr",
                                            "kafka_cluster_partition_underminisr",
                                            "kafka_controller_controllerstats_uncleanleaderelections_total",
                                            "kafka_controller_kafkacontroller_activecontrollercount",
                                            "kafka_controller_kafkacontroller_offlinepartitionscount",
                                            "kafka_log_log_size",
                                            "kafka_log_logmanager_offlinelogdirectorycount",
                                            "kafka_server_brokertopicmetrics_bytesin_total",
                                            "kafka_server_brokertopicmetrics_bytesout_total",
                                            "kafka_server_brokertopicmetrics_failedfetchrequests_total",
                                            "kafka_server_brokertopicmetrics_failedproducerequests_total",
                                            "kafka_server_brokertopicmetrics_messagesin_total",
                                            "kafka_server_brokertopicmetrics_totalfetchrequests_total",
                                            "kafka_server_brokertopicmetrics_totalproducerequests_total",
                                            "kafka_server_kafkaserver_linux_disk_read_bytes",
                                            "kafka_server_kafkaserver_linux_disk_write_bytes",
                                            "kafka_server_raftmetrics_current_epoch",
                                            "kafka_server_raftmetrics_current_leader",
                                            "kafka_server_raftmetrics_current_state",
                                            "kafka_server_raftmetrics_high_watermark",
                                            "kafka_server_raftmetrics_log_end_offset",
                                            "kafka_server_replicamanager_leadercount",
                                            "kafka_server_replicamanager_partitioncount",
                                            "kafka_server_replicamanager_underminisrpartitioncount",
                                            "kafka_server_replicamanager_underreplicatedpartitions",
                                            "kafka_server_socket_server_metrics_connection_count",
                                            "jvm_gc_collection_seconds_count",
                                            "jvm_gc_collection_seconds_sum",
                                            "jvm_memory_used_bytes",
                                            "jvm_threads_current",
                                            "process_open_fds")
                                            .stream(),
                                    Stream.of(
                                            other(
                                                    "kafka_cluster_partition_replicascount",
                                                    "kafka_topic_partition_replicas",
                                                    ""),
                                            other(
                                                    "kafka_server_raftmetrics_append_records_rate",
                                                    "moldau_controller_records_total",
                                                    RATE),
                                            other(
                                                    "kafka_server_raftmetrics_commit_latency_avg",
                                                    "moldau_quorum_commit_duration_seconds_bucket",
                                                    QUANTILES),
                                            other(
                                                    "kafka_server_raftmetrics_fetch_records_rate",
                                                    "kafka_server_brokermetadatametrics_last_applied_record_offset",
                                                    "an offset: use `rate()`"),
                                            other(
                                                    "kafka_server_raftchannelmetrics_incoming_byte_total",
                                                    "moldau_request_bytes_total",
                                                    "of all requests, with those of the quorum"),
                                            other(
                                                    "kafka_server_raftchannelmetrics_outgoing_byte_total",
                                                    "moldau_response_bytes_total",
                                                    "the same"),
                                            other(
                                                    "kafka_server_raftchannelmetrics_request_total",
                                                    "kafka_network_requestmetrics_requests_total",
                                                    "the same"),
                                            other(
                                                    "kafka_server_raftchannelmetrics_response_total",
                                                    "kafka_network_requestmetrics_requests_total",
                                                    "every request that is counted is answered"),
                                            none(
                                                    "kafka_server_raftmetrics_current_vote",
                                                    "Ratis does not tell whom it voted for"),
                                            none("kafka_network_socketserver_networkprocessoravgidle_percent", NO_POOL),
                                            none(
                                                    "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent",
                                                    NO_POOL)))
                            .toList()),
            new Source(
                    "Confluent's dashboards for KRaft clusters (JMX exporter)",
                    Stream.concat(
                                    same(
                                            "kafka_controller_kafkacontroller_activebrokercount",
                                            "kafka_controller_kafkacontroller_fencedbrokercount",
                                            "kafka_controller_kafkacontroller_globalpartitioncount",
                                            "kafka_controller_kafkacontroller_globaltopiccount",
                                            "kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
                                            "kafka_coordinator_group_groupmetadatamanager_numgroups",
                                            "kafka_coordinator_group_groupmetadatamanager_numgroupscompletingrebalance",
                                            "kafka_coordinator_group_groupmetadatamanager_numgroupsdead",
                                            "kafka_coordinator_group_groupmetadatamanager_numgroupsempty",
                                            "kafka_coordinator_group_groupmetadatamanager_numgroupspreparingrebalance",
                                            "kafka_coordinator_group_groupmetadatamanager_numgroupsstable",
                                            "kafka_log_log_logendoffset",
                                            "kafka_log_log_logstartoffset",
                                            "kafka_server_fetchsessioncache_numincrementalfetchsessions",
                                            "kafka_server_kafkaserver_brokerstate",
                                            "process_cpu_seconds_total")
                                            .stream(),
                                    Stream.of(
                                            other(
                                                    "kafka_server_brokertopicmetrics_bytesinpersec",
                                                    "kafka_server_brokertopicmetrics_bytesin_total",
                                                    RATE + "; so are the next ones"),
                                            other(
                                                    "kafka_server_brokertopicmetrics_bytesoutpersec",
                                                    "kafka_server_brokertopicmetrics_bytesout_total",
                                                    ""),
                                            other(
                                                    "kafka_server_brokertopicmetrics_messagesinpersec",
                                                    "kafka_server_brokertopicmetrics_messagesin_total",
                                                    ""),
                                            other(
                                                    "kafka_server_brokertopicmetrics_totalproducerequestspersec",
                                                    "kafka_server_brokertopicmetrics_totalproducerequests_total",
                                                    ""),
                                            other(
                                                    "kafka_server_brokertopicmetrics_totalfetchrequestspersec",
                                                    "kafka_server_brokertopicmetrics_totalfetchrequests_total",
                                                    ""),
                                            other(
                                                    "kafka_network_requestmetrics_requestspersec",
                                                    "kafka_network_requestmetrics_requests_total",
                                                    ""),
                                            other(
                                                    "kafka_network_requestmetrics_errorspersec",
                                                    "kafka_network_requestmetrics_errors_total",
                                                    ""),
                                            other(
                                                    "kafka_server_replicamanager_isrshrinkspersec",
                                                    "kafka_server_replicamanager_isrshrinks_total",
                                                    ""),
                                            other(
                                                    "kafka_server_replicamanager_isrexpandspersec",
                                                    "kafka_server_replicamanager_isrexpands_total",
                                                    ""),
                                            other(
                                                    "kafka_server_fetchsessioncache_incrementalfetchsessionevictionspersec",
                                                    "kafka_server_fetchsessioncache_incrementalfetchsessionevictions_total",
                                                    ""),
                                            other(
                                                    "kafka_controller_controllerstats_uncleanleaderelectionspersec",
                                                    "kafka_controller_controllerstats_uncleanleaderelections_total",
                                                    ""),
                                            other(
                                                    "kafka_server_socketservermetrics_connection_count",
                                                    "kafka_server_socket_server_metrics_connection_count",
                                                    ""),
                                            other(
                                                    "kafka_server_socketservermetrics_connection_creation_rate",
                                                    "kafka_server_socket_server_metrics_connection_creation_total",
                                                    RATE),
                                            other(
                                                    "kafka_server_socketservermetrics_connection_close_rate",
                                                    "kafka_server_socket_server_metrics_connection_close_total",
                                                    RATE),
                                            other(
                                                    "kafka_network_requestmetrics_totaltimems",
                                                    "moldau_request_duration_seconds_bucket",
                                                    QUANTILES + ", phase `total`"),
                                            other(
                                                    "kafka_network_requestmetrics_localtimems",
                                                    "moldau_request_duration_seconds_bucket",
                                                    "phase `handle`"),
                                            other(
                                                    "kafka_network_requestmetrics_remotetimems",
                                                    "moldau_request_duration_seconds_bucket",
                                                    "phase `wait`"),
                                            other(
                                                    "kafka_network_requestmetrics_responsesendtimems",
                                                    "moldau_request_duration_seconds_bucket",
                                                    "phase `send`, which is also the wait for earlier answers "
                                                            + "(`responsequeuetimems`)"),
                                            none(
                                                    "kafka_network_requestmetrics_requestqueuetimems",
                                                    "requests do not queue: the thread that reads one handles it"),
                                            none(
                                                    "kafka_network_requestchannel_requestqueuesize",
                                                    "the same; `moldau_request_memory_bytes` is what is open"),
                                            other(
                                                    "kafka_server_raft_metrics_high_watermark",
                                                    "kafka_server_raftmetrics_high_watermark",
                                                    "so for all of `raft_metrics`"),
                                            other(
                                                    "kafka_server_raft_metrics_election_latency_max",
                                                    "moldau_ratis_duration_seconds_sum",
                                                    "component `leader_election`, timer `electionTime`"),
                                            other(
                                                    "kafka_controller_controllereventmanager_eventqueueprocessingtimems",
                                                    "moldau_controller_operation_duration_seconds_bucket",
                                                    QUANTILES + ", the wait in the queue included"),
                                            other(
                                                    "kafka_controller_kafkacontroller_lastappliedrecordlagms",
                                                    "moldau_quorum_apply_lag",
                                                    "in entries"),
                                            none(
                                                    "kafka_controller_kafkacontroller_metadataerrorcount",
                                                    "a node that cannot apply metadata ends"),
                                            other(
                                                    "kafka_server_replicafetchermanager_maxlag",
                                                    "kafka_server_replicamanager_underreplicatedpartitions",
                                                    "a replica that is too far behind leaves the in-sync replicas"),
                                            none("kafka_server_produce_throttle_time", "client quotas: " + LATER),
                                            none("kafka_server_fetch_throttle_time", "the same"),
                                            none(
                                                    "kafka_server_transaction_coordinator_metrics_partition_load_time_max",
                                                    "transactions: " + LATER)))
                            .toList()));

    private CommunityNames() {}

    private static List<Asked> same(String... names) {
        return Stream.of(names).map(name -> new Asked(name, name, "")).toList();
    }

    private static Asked other(String name, String ours, String note) {
        return new Asked(name, Objects.requireNonNull(ours), note);
    }

    private static Asked none(String name, String note) {
        return new Asked(name, null, note);
    }
}
