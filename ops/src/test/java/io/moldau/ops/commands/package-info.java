/// The command line against a real node, as a person types it.
@NullMarked
package io.moldau.ops.commands;

import org.jspecify.annotations.NullMarked;
