/// Every configuration key under Kafka's name, what each is worth here, and what a node's settings come to.
///
/// Nothing here opens a file or a socket.
@NullMarked
package io.moldau.broker.config;

import org.jspecify.annotations.NullMarked;
