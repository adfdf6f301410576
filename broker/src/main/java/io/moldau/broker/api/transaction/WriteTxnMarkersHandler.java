package io.moldau.broker.api.transaction;

import io.moldau.broker.request.RequestContext;
import io.moldau.broker.request.RequestHandler;
import io.moldau.broker.transaction.MarkerWriter;
import io.moldau.wire.message.WriteTxnMarkersRequestData;

/// WriteTxnMarkers, versions 1 and 2: transaction coordinators have the ends of transactions written (KIP-98). Version
/// 2 says by which rules the marker's epoch is judged (KIP-890).
public final class WriteTxnMarkersHandler implements RequestHandler<WriteTxnMarkersRequestData> {

    private final MarkerWriter markers;

    public WriteTxnMarkersHandler(MarkerWriter markers) {
        this.markers = markers;
    }

    @Override
    public void handle(RequestContext context, WriteTxnMarkersRequestData request) {
        markers.write(request, context::respond);
    }
}
