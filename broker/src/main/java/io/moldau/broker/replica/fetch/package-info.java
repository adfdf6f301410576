/// Followers: how replicas copy their leaders' logs, and where they cut their own.
@NullMarked
package io.moldau.broker.replica.fetch;

import org.jspecify.annotations.NullMarked;
