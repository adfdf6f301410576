/// The protocol over Netty: frames cut from and written to channels, messages read from and written to `ByteBuf`.
@NullMarked
package io.moldau.wire.netty;

import org.jspecify.annotations.NullMarked;
