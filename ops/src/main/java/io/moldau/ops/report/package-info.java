/// What is known of a cluster at one moment, as values with a form for people and one for scripts, and what is wrong
/// with it and why. Asks nobody: the command line fills it by Kafka's Admin client, a node from its own metadata.
@NullMarked
package io.moldau.ops.report;

import org.jspecify.annotations.NullMarked;
