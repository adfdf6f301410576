package io.moldau.broker.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.moldau.broker.api.TestMetadata;
import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.wire.message.AddPartitionsToTxnRequestData;
import io.moldau.wire.message.AddPartitionsToTxnResponseData;
import io.moldau.wire.message.WriteTxnMarkersRequestData;
import io.moldau.wire.message.WriteTxnMarkersResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.Message;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/// Whom requests to brokers reach, and when connections are given up.
class PeerBrokerRequestsTest {

    private final TestMetadata metadata = new TestMetadata()
            .broker(1, false, 10, "PLAINTEXT")
            .broker(2, false, 20, "PLAINTEXT")
            .broker(3, true, 30, "PLAINTEXT")
            .broker(4, false, 40, "OTHER")
            .publish();
    private final Peers peers = new Peers();
    private final PeerBrokerRequests requests = new PeerBrokerRequests(1, "PLAINTEXT", peers, metadata.cache()::image);

    PeerBrokerRequestsTest() {
        metadata.tell(requests);
    }

    @Test
    void aRequestToThisBrokerNeverLeavesIt() {
        requests.local(
                ApiKey.WRITE_TXN_MARKERS,
                WriteTxnMarkersRequestData.class,
                (request, version, reply) -> reply.accept(new WriteTxnMarkersResponseData()));

        assertThat(markers(1)).isCompleted();
        assertThat(peers.made).isEmpty();
    }

    @Test
    void oneConnectionForEachBrokerAndApi() {
        var first = markers(2);
        var second = markers(2);
        var other = requests.send(
                2, (short) 5, new AddPartitionsToTxnRequestData(), AddPartitionsToTxnResponseData.class, 1_000);

        assertThat(peers.made)
                .extracting(made -> made.address)
                .containsExactly("host2:9002 write-txn-markers", "host2:9002 add-partitions-to-txn");
        peers.made.getFirst().answer(new WriteTxnMarkersResponseData());
        assertThat(first).isCompleted();
        assertThat(second).isNotDone();
        assertThat(other).isNotDone();
        assertThat(peers.released).isEqualTo(1);
    }

    @Test
    void aBrokerThatIsNotThereIsNotAsked() {
        for (int absent : new int[] {3, 4, 9}) {
            assertThatThrownBy(() -> markers(absent).join())
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            ApiException.class, e -> assertThat(e.error()).isEqualTo(Errors.BROKER_NOT_AVAILABLE));
        }
        assertThat(peers.made).isEmpty();
    }

    @Test
    void aConnectionEndsWithTheRegistrationItWasMadeTo() {
        markers(2);
        metadata.topic("unrelated", 1).publish();
        assertThat(peers.made.getFirst().closed).isFalse();

        metadata.broker(2, false, 21, "PLAINTEXT").publish();
        assertThat(peers.made.getFirst().closed).isTrue();
        assertThat(requests.size()).isZero();

        markers(2);
        assertThat(peers.made).hasSize(2);
        metadata.broker(2, true, 21, "PLAINTEXT").publish();
        assertThat(peers.made.getLast().closed).isTrue();
        assertThat(markers(2)).isCompletedExceptionally();
    }

    @Test
    void afterTheEndNobodyIsAsked() {
        markers(2);
        requests.close();
        assertThat(peers.made.getFirst().closed).isTrue();
        assertThat(markers(2)).isCompletedExceptionally();
        assertThat(requests.size()).isZero();
    }

    private CompletableFuture<WriteTxnMarkersResponseData> markers(int broker) {
        return requests.send(
                broker, (short) 2, new WriteTxnMarkersRequestData(), WriteTxnMarkersResponseData.class, 1_000);
    }

    /// Connections that answer when they are told to.
    private static final class Peers implements PeerClients {
        private final List<Link> made = new ArrayList<>();
        private int released;

        @Override
        public PeerClient connect(String host, int port, String purpose) {
            var link = new Link(host + ":" + port + " " + purpose);
            made.add(link);
            return link;
        }

        @Override
        public CompletableFuture<Reachability> probe(String host, int port, long timeoutMs) {
            return CompletableFuture.completedFuture(Reachability.UNKNOWN);
        }

        private final class Link implements PeerClient {
            private final String address;
            private final List<CompletableFuture<PeerResponse>> open = new ArrayList<>();
            private boolean closed;

            Link(String address) {
                this.address = address;
            }

            void answer(Message message) {
                open.removeFirst().complete(new PeerResponse(message, 10, () -> released++));
            }

            @Override
            public CompletableFuture<PeerResponse> send(short apiVersion, Message request, long timeoutMs) {
                var answer = new CompletableFuture<PeerResponse>();
                open.add(answer);
                return answer;
            }

            @Override
            public CompletableFuture<ByteBuffer> call(short apiKey, ByteBuffer body, long timeoutMs) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {
                closed = true;
            }
        }
    }
}
