/// What people do to a cluster with the reference's tools.
@NullMarked
package io.moldau.ops.cluster;

import org.jspecify.annotations.NullMarked;
