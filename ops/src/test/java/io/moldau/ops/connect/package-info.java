/// Kafka Connect as a client of a cluster, with connectors of this project's own between files and topics.
@NullMarked
package io.moldau.ops.connect;

import org.jspecify.annotations.NullMarked;
