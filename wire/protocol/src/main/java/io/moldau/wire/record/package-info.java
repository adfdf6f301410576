/// Record batches, Kafka's message format v2, over `java.nio.ByteBuffer`. Pure: no Netty, no clock, no file, no thread.
@NullMarked
package io.moldau.wire.record;

import org.jspecify.annotations.NullMarked;
