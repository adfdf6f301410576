/// Real node processes for tests, started by the launcher as a person would start them.
@NullMarked
package io.moldau.ops.node;

import org.jspecify.annotations.NullMarked;
