package io.moldau.metadata.controller.op;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.metadata.controller.ControllerResult;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.message.AllocateProducerIdsRequest;
import io.moldau.metadata.message.AllocateProducerIdsResponse;
import io.moldau.metadata.record.MetadataRecords;
import io.moldau.metadata.record.ProducerIdsRecord;
import java.util.List;

/// Hands out the next block of producer ids. A block is used by one broker and never given out again.
public final class AllocateProducerIds {

    public static final int BLOCK_SIZE = 1000;

    public ControllerResult<AllocateProducerIdsResponse> plan(MetadataImage image, AllocateProducerIdsRequest request) {
        BrokerEpochs.check(image, request.getBrokerId(), request.getBrokerEpoch());
        long first = image.producerIds().nextProducerId();
        if (first > Long.MAX_VALUE - BLOCK_SIZE) {
            throw new ApiException(Errors.UNKNOWN_SERVER_ERROR, "The cluster has used up all producer ids.");
        }
        var record = ProducerIdsRecord.newBuilder()
                .setBrokerId(request.getBrokerId())
                .setBrokerEpoch(request.getBrokerEpoch())
                .setNextProducerId(first + BLOCK_SIZE)
                .build();
        return ControllerResult.atomic(
                List.of(MetadataRecords.of(record)),
                AllocateProducerIdsResponse.newBuilder()
                        .setFirstProducerId(first)
                        .setCount(BLOCK_SIZE)
                        .build());
    }
}
