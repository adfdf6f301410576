package io.moldau.broker;

import io.moldau.broker.config.LogLevels;
import io.moldau.broker.coordinator.runtime.CoordinatorMetrics;
import io.moldau.broker.coordinator.transaction.TransactionMetrics;
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
        Meters meters,
        List<MetadataPublisher> observers,
        LogLevels logLevels,
        FaultHandler faults) {

    /// Those who count, each in its part of the node.
    public record Meters(
            RequestMetrics requests,
            LogMetrics logs,
            QuorumMetrics quorum,
            ControllerMetrics controller,
            CoordinatorMetrics coordinators,
            TransactionMetrics transactions,
            ReplicaMetrics replicas) {

        /// Nothing is counted.
        public static final Meters NONE = new Meters(
                RequestMetrics.NONE,
                LogMetrics.NONE,
                QuorumMetrics.NONE,
                ControllerMetrics.NONE,
                CoordinatorMetrics.NONE,
                TransactionMetrics.NONE,
                ReplicaMetrics.NONE);
    }

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
                Meters.NONE,
                List.of(),
                LogLevels.FIXED,
                NodeServices::halt);
    }

    /// With others who count and look.
    public NodeServices withMeters(Meters others, List<MetadataPublisher> metadataObservers) {
        return new NodeServices(time, random, storage, others, metadataObservers, logLevels, faults);
    }

    /// With levels that can be changed while the node runs.
    public NodeServices withLogLevels(LogLevels levels) {
        return new NodeServices(time, random, storage, meters, observers, levels, faults);
    }

    /// With another clock.
    public NodeServices withTime(Time other) {
        return new NodeServices(other, random, storage, meters, observers, logLevels, faults);
    }

    public NodeServices withStorage(LogStorage other) {
        return new NodeServices(time, random, other, meters, observers, logLevels, faults);
    }

    public NodeServices withFaults(FaultHandler handler) {
        return new NodeServices(time, random, storage, meters, observers, logLevels, handler);
    }

    /// A node that has found itself wrong must not go on: what it would write next could be wrong too.
    private static void halt(String where, Throwable fault) {
        LOG.error("fault, the process ends where=\"{}\"", where, fault);
        Runtime.getRuntime().halt(1);
    }
}
