/// Our messages against those of kafka-clients, which the same schemas produce.
@NullMarked
package io.moldau.wire.parity;

import org.jspecify.annotations.NullMarked;
