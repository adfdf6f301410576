/// A node or a cluster in the test's own process, for people who test what they have written for Kafka.
@NullMarked
package io.moldau.junit;

import org.jspecify.annotations.NullMarked;
