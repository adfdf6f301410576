/// Watches how much room the node's disks have.
@NullMarked
package io.moldau.broker.space;

import org.jspecify.annotations.NullMarked;
