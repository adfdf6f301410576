@NullMarked
package io.moldau.ops.json;

import org.jspecify.annotations.NullMarked;
