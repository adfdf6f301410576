package io.moldau.broker.net;

import io.moldau.wire.netty.ByteBufRecords;
import io.moldau.wire.protocol.BufferRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
