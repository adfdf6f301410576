/// A node's identity on disk and its life in the cluster: registration, heartbeats, fencing, orderly stop.
@NullMarked
package io.moldau.broker.lifecycle;

import org.jspecify.annotations.NullMarked;
