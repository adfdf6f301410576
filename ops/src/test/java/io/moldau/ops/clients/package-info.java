/// Real clients of other makers, and Kafka's own Java client, driven against a node.
@NullMarked
package io.moldau.ops.clients;

import org.jspecify.annotations.NullMarked;
