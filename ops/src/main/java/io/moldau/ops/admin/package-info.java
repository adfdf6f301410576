/// The administration's HTTP interface of a node: metrics, health, and a JSON interface to look at the cluster.
///
/// Served by the JDK's HTTP server on threads of its own, so that no scrape is ever in the way of a client.
@NullMarked
package io.moldau.ops.admin;

import org.jspecify.annotations.NullMarked;
