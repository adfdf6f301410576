/// The Kafka protocol as values: what generated messages are made of. Pure: no Netty, no clock, no I/O.
@NullMarked
package io.moldau.wire.protocol;

import org.jspecify.annotations.NullMarked;
