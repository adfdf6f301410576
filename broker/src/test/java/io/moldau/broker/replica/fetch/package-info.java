/// Tests of followers: the pure state, and replicas that follow each other in one thread.
@NullMarked
package io.moldau.broker.replica.fetch;

import org.jspecify.annotations.NullMarked;
