/// The `moldau` commands that ask a running cluster: one class for each command, picocli over them
/// and Kafka's Admin client below. A node that starts loads nothing of this, and its class path
/// does not have the two libraries.
@NullMarked
package io.moldau.ops.cli;

import org.jspecify.annotations.NullMarked;
