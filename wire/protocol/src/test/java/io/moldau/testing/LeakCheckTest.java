package io.moldau.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import org.junit.jupiter.api.Test;

class LeakCheckTest {

    @Test
    void everyBufferIsTracked() {
        assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
        assertThat(System.getProperty("io.netty.customResourceLeakDetector")).isEqualTo(LeakRecorder.class.getName());
    }

    @Test
    void aForgottenBufferIsFound() throws InterruptedException {
        assertThat(LeakCheckExtension.findLeaks()).isEmpty();

        forgetABuffer();

        // This also takes the leak away, so that it does not fail this class.
        assertThat(LeakCheckExtension.findLeaks()).singleElement().asString().contains("forgetABuffer");
    }

    private static void forgetABuffer() {
        PooledByteBufAllocator.DEFAULT.directBuffer(16).writeByte(1);
    }
}
