/// Requests from this node to other ones. What asks sees these interfaces; sockets are behind them.
@NullMarked
package io.moldau.broker.peer;

import org.jspecify.annotations.NullMarked;
