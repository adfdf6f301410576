/// A client of a few lines, for what needs no library.
@NullMarked
package io.moldau.ops.client;

import org.jspecify.annotations.NullMarked;
