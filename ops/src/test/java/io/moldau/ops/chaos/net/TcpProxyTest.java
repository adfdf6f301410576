package io.moldau.ops.chaos.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Two real sockets with the proxy between them.
@Timeout(20)
class TcpProxyTest {

    private final Link link = new Link();
    private ServerSocket target;
    private TcpProxy proxy;
    private Socket near;
    private Socket far;

    @BeforeEach
    void connect() throws Exception {
        target = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        proxy = TcpProxy.open(0, target.getLocalPort(), _ -> link);
        near = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        far = target.accept();
        near.setSoTimeout(10_000);
        far.setSoTimeout(10_000);
    }

    @AfterEach
    void disconnect() throws Exception {
        link.close();
        proxy.close();
        near.close();
        far.close();
        target.close();
    }

    @Test
    void bytesPassBothWaysAndTheEndToo() throws Exception {
        near.getOutputStream().write(7);
        assertThat(far.getInputStream().read()).isEqualTo(7);
        far.getOutputStream().write(8);
        assertThat(near.getInputStream().read()).isEqualTo(8);
        near.shutdownOutput();
        assertThat(far.getInputStream().read()).isEqualTo(-1);
        far.close();
        assertThat(near.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void aCutDirectionIsSilentAndItsBytesArriveWhenItHeals() throws Exception {
        link.set(Flow.CUT, Flow.OPEN);
        near.getOutputStream().write(7);
        far.getOutputStream().write(8);
        assertThat(near.getInputStream().read()).isEqualTo(8);
        far.setSoTimeout(200);
        assertThatThrownBy(() -> far.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        far.setSoTimeout(10_000);
        link.set(Flow.OPEN);
        assertThat(far.getInputStream().read()).isEqualTo(7);
    }

    @Test
    void aDelayLetsNothingArriveEarlier() throws Exception {
        link.set(new Flow.Delayed(150));
        long began = System.nanoTime();
        near.getOutputStream().write(7);
        assertThat(far.getInputStream().read()).isEqualTo(7);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(150));
    }

    @Test
    void aDripPassesAFewBytesAtATime() throws Exception {
        link.set(new Flow.Drip(2, 60_000), Flow.OPEN);
        near.getOutputStream().write(new byte[] {1, 2, 3, 4, 5});
        far.setSoTimeout(100);
        assertThatThrownBy(() -> far.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        far.setSoTimeout(10_000);
        link.set(new Flow.Drip(2, 1));
        assertThat(far.getInputStream().readNBytes(5)).containsExactly(1, 2, 3, 4, 5);
    }

    @Test
    void aHalfClosedConnectionStillAnswers() throws Exception {
        // Wait until the proxy knows the connection.
        near.getOutputStream().write(7);
        assertThat(far.getInputStream().read()).isEqualTo(7);
        proxy.connections(it -> it == link).forEach(TcpProxy.Connection::halfClose);
        assertThat(far.getInputStream().read()).isEqualTo(-1);
        far.getOutputStream().write(8);
        assertThat(near.getInputStream().read()).isEqualTo(8);
    }

    @Test
    void aTargetThatDoesNotListenResets() throws Exception {
        int deadPort;
        try (var dead = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            deadPort = dead.getLocalPort();
        }
        try (var toDead = TcpProxy.open(0, deadPort, _ -> link);
                var refused = new Socket(InetAddress.getLoopbackAddress(), toDead.port())) {
            refused.setSoTimeout(10_000);
            var outcome = CompletableFuture.supplyAsync(() -> {
                try {
                    return refused.getInputStream().read() < 0 ? "end" : "byte";
                } catch (IOException e) {
                    return "reset";
                }
            });
            assertThat(outcome.get(10, TimeUnit.SECONDS)).isEqualTo("reset");
        }
    }
}
