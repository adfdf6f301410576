/// Kafka Streams with exactly once, and what its programs must come to.
@NullMarked
package io.moldau.ops.chaos.streams;

import org.jspecify.annotations.NullMarked;
