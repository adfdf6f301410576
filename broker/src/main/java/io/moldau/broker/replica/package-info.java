/// The partitions this node hosts: who leads, what is committed, who waits for it. Knows no request and no socket.
@NullMarked
package io.moldau.broker.replica;

import org.jspecify.annotations.NullMarked;
