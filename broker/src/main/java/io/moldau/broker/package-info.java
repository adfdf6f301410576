/// A node: the composition root of everything that runs in one process.
@NullMarked
package io.moldau.broker;

import org.jspecify.annotations.NullMarked;
