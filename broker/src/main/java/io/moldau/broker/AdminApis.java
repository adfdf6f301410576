package io.moldau.broker;

import io.moldau.broker.api.controller.AlterConfigsHandler;
import io.moldau.broker.api.controller.CreatePartitionsHandler;
import io.moldau.broker.api.controller.CreateTopicsHandler;
import io.moldau.broker.api.controller.DeleteTopicsHandler;
import io.moldau.broker.api.controller.Forwarder;
import io.moldau.broker.api.controller.ForwardingHandler;
import io.moldau.broker.api.controller.IncrementalAlterConfigsHandler;
import io.moldau.broker.api.controller.LoggerChanges;
import io.moldau.broker.api.metadata.AlterReplicaLogDirsHandler;
import io.moldau.broker.api.metadata.ApiVersionsHandler;
import io.moldau.broker.api.metadata.BrokerResources;
import io.moldau.broker.api.metadata.DescribeClusterHandler;
import io.moldau.broker.api.metadata.DescribeConfigsHandler;
import io.moldau.broker.api.metadata.DescribeLogDirsHandler;
import io.moldau.broker.api.metadata.DescribeTopicPartitionsHandler;
import io.moldau.broker.api.metadata.FindCoordinatorHandler;
import io.moldau.broker.api.metadata.ListConfigResourcesHandler;
import io.moldau.broker.api.metadata.MetadataHandler;
import io.moldau.broker.api.security.SaslAuthenticateHandler;
import io.moldau.broker.api.security.SaslHandshakeHandler;
import io.moldau.broker.config.ConfigResolver;
import io.moldau.broker.config.LogLevels;
import io.moldau.broker.coordinator.runtime.KeyHash;
import io.moldau.broker.metadata.ClusterView;
import io.moldau.broker.metadata.HungUpBrokers;
import io.moldau.broker.metadata.MetadataCache;
import io.moldau.broker.metadata.TopicCreator;
import io.moldau.broker.request.RequestRouter;
import io.moldau.log.dir.LogDirs;
import io.moldau.metadata.channel.NodeToController;
import io.moldau.wire.message.AddRaftVoterRequestData;
import io.moldau.wire.message.AlterConfigsRequestData;
import io.moldau.wire.message.AlterPartitionReassignmentsRequestData;
import io.moldau.wire.message.AlterReplicaLogDirsRequestData;
import io.moldau.wire.message.ApiVersionsRequestData;
import io.moldau.wire.message.ControllerRegistrationRequestData;
import io.moldau.wire.message.CreatePartitionsRequestData;
import io.moldau.wire.message.CreateTopicsRequestData;
import io.moldau.wire.message.DeleteTopicsRequestData;
import io.moldau.wire.message.DescribeClusterRequestData;
import io.moldau.wire.message.DescribeConfigsRequestData;
import io.moldau.wire.message.DescribeLogDirsRequestData;
import io.moldau.wire.message.DescribeQuorumRequestData;
import io.moldau.wire.message.DescribeTopicPartitionsRequestData;
import io.moldau.wire.message.ElectLeadersRequestData;
import io.moldau.wire.message.FindCoordinatorRequestData;
import io.moldau.wire.message.IncrementalAlterConfigsRequestData;
import io.moldau.wire.message.ListConfigResourcesRequestData;
import io.moldau.wire.message.ListPartitionReassignmentsRequestData;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.RemoveRaftVoterRequestData;
import io.moldau.wire.message.SaslAuthenticateRequestData;
import io.moldau.wire.message.SaslHandshakeRequestData;
import io.moldau.wire.message.UnregisterBrokerRequestData;
import io.moldau.wire.message.UnregisterControllerRequestData;
import io.moldau.wire.message.UpdateFeaturesRequestData;
import io.moldau.wire.message.UpdateRaftVoterRequestData;
import io.moldau.wire.protocol.ApiKey;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/// Puts the APIs about metadata, topics and configuration into the routers of a node's listeners, and completes those:
/// ApiVersions, which has to come last, tells what else is there.
final class AdminApis {

    private final int localId;
    private final MetadataCache cache;
    private final Forwarder forwarder;
    private final ConfigResolver resolver;
    private final LogLevels levels;

    AdminApis(
            int localId, MetadataCache cache, NodeToController controller, ConfigResolver resolver, LogLevels levels) {
        this.localId = localId;
        this.cache = cache;
        this.forwarder = new Forwarder(controller);
        this.resolver = resolver;
        this.levels = levels;
    }

    RequestRouter onBroker(
            RequestRouter.Builder routes,
            TopicCreator creator,
            HungUpBrokers hungUp,
            boolean autoCreateTopics,
            int maxPartitionsPerPage,
            LogDirs logDirs,
            Replicas replicas,
            Executor background) {
        routes.on(
                        ApiKey.METADATA,
                        MetadataRequestData.class,
                        new MetadataHandler(localId, cache, creator, autoCreateTopics, hungUp))
                .on(
                        ApiKey.DESCRIBE_CLUSTER,
                        DescribeClusterRequestData.class,
                        DescribeClusterHandler.ofBrokers(localId, cache))
                .on(
                        ApiKey.DESCRIBE_TOPIC_PARTITIONS,
                        DescribeTopicPartitionsRequestData.class,
                        new DescribeTopicPartitionsHandler(cache, maxPartitionsPerPage, hungUp))
                .on(
                        ApiKey.LIST_CONFIG_RESOURCES,
                        ListConfigResourcesRequestData.class,
                        new ListConfigResourcesHandler(cache))
                .on(
                        ApiKey.DESCRIBE_LOG_DIRS,
                        DescribeLogDirsRequestData.class,
                        new DescribeLogDirsHandler(logDirs, background))
                .on(
                        ApiKey.ALTER_REPLICA_LOG_DIRS,
                        AlterReplicaLogDirsRequestData.class,
                        new AlterReplicaLogDirsHandler(replicas.moves(), replicas::wakeMovers, background))
                .on(
                        ApiKey.FIND_COORDINATOR,
                        FindCoordinatorRequestData.class,
                        new FindCoordinatorHandler(cache, creator, KeyHash::partitionFor, hungUp));
        return complete(routes, localId);
    }

    /// What an administrator needs when no broker answers. Served to everybody who reaches the listener.
    RequestRouter onController(
            RequestRouter.Builder routes, IntSupplier activeController, Supplier<List<ClusterView.Node>> controllers) {
        routes.on(
                        ApiKey.DESCRIBE_CLUSTER,
                        DescribeClusterRequestData.class,
                        DescribeClusterHandler.ofControllers(cache, activeController, controllers))
                .on(
                        ApiKey.CONTROLLER_REGISTRATION,
                        ControllerRegistrationRequestData.class,
                        new ForwardingHandler<>(forwarder))
                .on(ApiKey.UPDATE_RAFT_VOTER, UpdateRaftVoterRequestData.class, new ForwardingHandler<>(forwarder));
        return complete(routes, BrokerResources.ANY);
    }

    /// @param alters the broker whose own settings may be changed here; a controller takes changes for each
    private RequestRouter complete(RequestRouter.Builder routes, int alters) {
        AtomicReference<List<ApiKey>> served = new AtomicReference<>(List.of());
        routes.on(ApiKey.CREATE_TOPICS, CreateTopicsRequestData.class, new CreateTopicsHandler(forwarder, cache))
                .on(ApiKey.DELETE_TOPICS, DeleteTopicsRequestData.class, new DeleteTopicsHandler(forwarder, cache))
                .on(
                        ApiKey.CREATE_PARTITIONS,
                        CreatePartitionsRequestData.class,
                        new CreatePartitionsHandler(forwarder, cache))
                .on(
                        ApiKey.DESCRIBE_CONFIGS,
                        DescribeConfigsRequestData.class,
                        new DescribeConfigsHandler(localId, cache, resolver, levels))
                .on(
                        ApiKey.ALTER_CONFIGS,
                        AlterConfigsRequestData.class,
                        new AlterConfigsHandler(forwarder, cache, alters))
                .on(
                        ApiKey.INCREMENTAL_ALTER_CONFIGS,
                        IncrementalAlterConfigsRequestData.class,
                        new IncrementalAlterConfigsHandler(
                                forwarder, cache, alters, new LoggerChanges(localId, levels)))
                .on(ApiKey.SASL_HANDSHAKE, SaslHandshakeRequestData.class, new SaslHandshakeHandler())
                .on(ApiKey.SASL_AUTHENTICATE, SaslAuthenticateRequestData.class, new SaslAuthenticateHandler())
                .on(ApiKey.DESCRIBE_QUORUM, DescribeQuorumRequestData.class, new ForwardingHandler<>(forwarder))
                .on(
                        ApiKey.ADD_RAFT_VOTER,
                        AddRaftVoterRequestData.class,
                        new ForwardingHandler<>(forwarder, AddRaftVoterRequestData::timeoutMs))
                .on(ApiKey.REMOVE_RAFT_VOTER, RemoveRaftVoterRequestData.class, new ForwardingHandler<>(forwarder))
                .on(
                        ApiKey.UNREGISTER_CONTROLLER,
                        UnregisterControllerRequestData.class,
                        new ForwardingHandler<>(forwarder))
                .on(
                        ApiKey.UPDATE_FEATURES,
                        UpdateFeaturesRequestData.class,
                        new ForwardingHandler<>(forwarder, UpdateFeaturesRequestData::timeoutMs))
                .on(
                        ApiKey.ELECT_LEADERS,
                        ElectLeadersRequestData.class,
                        new ForwardingHandler<>(forwarder, ElectLeadersRequestData::timeoutMs))
                .on(
                        ApiKey.ALTER_PARTITION_REASSIGNMENTS,
                        AlterPartitionReassignmentsRequestData.class,
                        new ForwardingHandler<>(forwarder, AlterPartitionReassignmentsRequestData::timeoutMs))
                .on(
                        ApiKey.LIST_PARTITION_REASSIGNMENTS,
                        ListPartitionReassignmentsRequestData.class,
                        new ForwardingHandler<>(forwarder, ListPartitionReassignmentsRequestData::timeoutMs))
                .on(ApiKey.UNREGISTER_BROKER, UnregisterBrokerRequestData.class, new ForwardingHandler<>(forwarder))
                .on(
                        ApiKey.API_VERSIONS,
                        ApiVersionsRequestData.class,
                        new ApiVersionsHandler(localId, cache, BrokerSettings.FEATURES, served::get));
        RequestRouter router = routes.build();
        served.set(router.apis());
        return router;
    }
}
