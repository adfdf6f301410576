package io.moldau.broker;

import io.moldau.broker.coordinator.runtime.CoordinatorMetrics;
import io.moldau.broker.request.RequestMetrics;
import io.moldau.common.FaultHandler;
import io.moldau.common.time.SystemTime;
import io.moldau.common.time.Time;
import io.moldau.log.LogMetrics;
import io.moldau.log.storage.LogStorage;
import io.moldau.log.storage.NioLogStorage;
import io.moldau.metadata.controller.ControllerMetrics;
import io.moldau.metadata.quorum.QuorumMetrics;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a node gets from outside: clock, randomness, disk, those who count, and what happens after a fault of its own.
///
/// @param random must bear being used by several threads
public record NodeServices(
        Time time,
        RandomGenerator random,
        LogStorage storage,
        RequestMetrics requestMetrics,
        LogMetrics logMetrics,
        QuorumMetrics quorumMetrics,
        ControllerMetrics controllerMetrics,
        CoordinatorMetrics coordinatorMetrics,
        FaultHandler faults) {

    private static final Logger LOG = LoggerFactory.getLogger(NodeServices.class);

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
                NodeServices::halt);
    }

    public NodeServices withRequestMetrics(RequestMetrics metrics) {
        return new NodeServices(
                time,
                random,
                storage,
                metrics,
                logMetrics,
                quorumMetrics,
                controllerMetrics,
                coordinatorMetrics,
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
                handler);
    }

    /// A node that has found itself wrong must not go on: what it would write next could be wrong too.
    private static void halt(String where, Throwable fault) {
        LOG.error("fault, the process ends where=\"{}\"", where, fault);
        Runtime.getRuntime().halt(1);
    }
}
