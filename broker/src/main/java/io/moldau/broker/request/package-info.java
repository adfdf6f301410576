/// Requests as handlers see them: context, routing, error answers and events. Knows no socket and no Netty.
@NullMarked
package io.moldau.broker.request;

import org.jspecify.annotations.NullMarked;
