/// Messages read from and written to Netty's buffers. Cutting and sending frames is the broker's business.
@NullMarked
package io.moldau.wire.netty;

import org.jspecify.annotations.NullMarked;
