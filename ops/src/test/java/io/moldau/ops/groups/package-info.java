/// Consumer groups of nodes as clients see them, beside those of the reference.
@NullMarked
package io.moldau.ops.groups;

import org.jspecify.annotations.NullMarked;
