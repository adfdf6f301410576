/// The reference's own command-line tools, run against a node and over its files.
@NullMarked
package io.moldau.ops.reference;

import org.jspecify.annotations.NullMarked;
