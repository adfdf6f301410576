package io.moldau.broker.api.data;

import io.moldau.broker.replica.MemorySource;
import io.moldau.broker.replica.PartitionRegistry;
import io.moldau.broker.request.RequestRouter;
import io.moldau.broker.transaction.TransactionVerification;
import io.moldau.common.time.Time;
import io.moldau.wire.message.DeleteRecordsRequestData;
import io.moldau.wire.message.FetchRequestData;
import io.moldau.wire.message.ListOffsetsRequestData;
import io.moldau.wire.message.OffsetForLeaderEpochRequestData;
import io.moldau.wire.message.ProduceRequestData;
import io.moldau.wire.protocol.ApiKey;
import java.util.concurrent.Executor;

/// Puts the data APIs into a router.
public final class DataApis {

    private DataApis() {}

    /// What the data APIs need of the node they run in.
    ///
    /// @param diskThreads may wait for the disk
    /// @param memory for records read from files
    /// @param fetchMaxBytes `fetch.max.bytes`
    /// @param readReplicas which replica a consumer should rather read from
    /// @param verification of the batches of transactions
    public record Services(
            PartitionRegistry partitions,
            FetchSessions sessions,
            Executor diskThreads,
            MemorySource memory,
            Time time,
            int fetchMaxBytes,
            ReadReplicas readReplicas,
            TransactionVerification verification) {}

    public static void register(RequestRouter.Builder router, Services services) {
        router.on(
                        ApiKey.PRODUCE,
                        ProduceRequestData.class,
                        new ProduceHandler(services.partitions(), services.verification()))
                .on(
                        ApiKey.FETCH,
                        FetchRequestData.class,
                        new FetchHandler(
                                services.partitions(),
                                services.sessions(),
                                services.diskThreads(),
                                services.memory(),
                                services.time(),
                                services.fetchMaxBytes(),
                                services.readReplicas()))
                .on(
                        ApiKey.LIST_OFFSETS,
                        ListOffsetsRequestData.class,
                        new ListOffsetsHandler(services.partitions(), services.diskThreads()))
                .on(
                        ApiKey.OFFSET_FOR_LEADER_EPOCH,
                        OffsetForLeaderEpochRequestData.class,
                        new OffsetForLeaderEpochHandler(services.partitions()))
                .on(
                        ApiKey.DELETE_RECORDS,
                        DeleteRecordsRequestData.class,
                        new DeleteRecordsHandler(services.partitions(), services.diskThreads()));
    }
}
