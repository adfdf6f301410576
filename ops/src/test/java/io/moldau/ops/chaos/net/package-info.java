/// A network between nodes that can be slowed down and cut, link by link.
@NullMarked
package io.moldau.ops.chaos.net;

import org.jspecify.annotations.NullMarked;
