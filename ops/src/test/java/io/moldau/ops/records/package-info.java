@NullMarked
package io.moldau.ops.records;

import org.jspecify.annotations.NullMarked;
