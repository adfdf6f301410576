package io.moldau.broker;

import io.moldau.broker.config.LogLevels;
import io.moldau.broker.coordinator.runtime.CoordinatorMetrics;
import io.moldau.broker.replica.ReplicaMetrics;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.common.FaultHandler;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import io.moldau.log.LogMetrics;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.metadata.controller.ControllerMetrics;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import io.moldau.metadata.quorum.QuorumMetrics;
import java.security.SecureRandom;
import java.util.List;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a node gets from outside: clock, randomness, disk, those who count, and what happens after a fault of its own.
///
/// @param random must bear being used by several threads
/// @param observers told of new metadata after everybody else
public record NodeServices(
        Time time,
        RandomGenerator random,
        LogStorage storage,
        RequestMetrics requestMetrics,
        LogMetrics logMetrics,
        QuorumMetrics quorumMetrics,
        ControllerMetrics controllerMetrics,
        CoordinatorMetrics coordinatorMetrics,
        ReplicaMetrics replicaMetrics,
        List<MetadataPublisher> observers,
        LogLevels logLevels,
        FaultHandler faults) {

    private static final Logger LOG = LoggerFactory.getLogger(NodeServices.class);

    public NodeServices {
        observers = List.copyOf(observers);
    }

    /// Those of a real process. Nothing is counted, and a fault ends the process.
    public static NodeServices real() {
        return new NodeServices(
                new SystemTime(),
                new SecureRandom(),
                new NioLogStorage(),
                RequestMetrics.NONE,
                LogMetrics.NONE,
                QuorumMetrics.NONE,
                ControllerMetrics.NONE,
                CoordinatorMetrics.NONE,
                ReplicaMetrics.NONE,
                List.of(),
                LogLevels.FIXED,
                NodeServices::halt);
    }

    public NodeServices withRequestMetrics(RequestMetrics metrics) {
        return withMetrics(
                metrics, logMetrics, quorumMetrics, controllerMetrics, coordinatorMetrics, replicaMetrics, observers);
    }

    /// With others who count.
    public NodeServices withMetrics(
            RequestMetrics requests,
            LogMetrics logs,
            QuorumMetrics quorum,
            ControllerMetrics controller,
            CoordinatorMetrics coordinators,
            ReplicaMetrics replicas,
            List<MetadataPublisher> metadataObservers) {
        return new NodeServices(
                time,
                random,
                storage,
                requests,
                logs,
                quorum,
                controller,
                coordinators,
                replicas,
                metadataObservers,
                logLevels,
                faults);
    }

    /// With levels that can be changed while the node runs.
    public NodeServices withLogLevels(LogLevels levels) {
        return new NodeServices(
                time,
                random,
                storage,
                requestMetrics,
                logMetrics,
                quorumMetrics,
                controllerMetrics,
                coordinatorMetrics,
                replicaMetrics,
                observers,
                levels,
                faults);
    }

    /// With another clock.
    public NodeServices withTime(Time other) {
        return new NodeServices(
                other,
                random,
                storage,
                requestMetrics,
                logMetrics,
                quorumMetrics,
                controllerMetrics,
                coordinatorMetrics,
                replicaMetrics,
                observers,
                logLevels,
                faults);
    }

    public NodeServices withStorage(LogStorage other) {
        return new NodeServices(
                time,
                random,
                other,
                requestMetrics,
                logMetrics,
                quorumMetrics,
                controllerMetrics,
                coordinatorMetrics,
                replicaMetrics,
                observers,
                logLevels,
                faults);
    }

    public NodeServices withFaults(FaultHandler handler) {
        return new NodeServices(
                time,
                random,
                storage,
                requestMetrics,
                logMetrics,
                quorumMetrics,
                controllerMetrics,
                coordinatorMetrics,
                replicaMetrics,
                observers,
                logLevels,
                handler);
    }

    /// A node that has found itself wrong must not go on: what it would write next could be wrong too.
    private static void halt(String where, Throwable fault) {
        LOG.error("fault, the process ends where=\"{}\"", where, fault);
        Runtime.getRuntime().halt(1);
    }
}
