/// The network edge: listeners, connections, framing, order of responses, limits. The broker's only code over
/// Netty.
@NullMarked
package io.moldau.broker.net;

import org.jspecify.annotations.NullMarked;
