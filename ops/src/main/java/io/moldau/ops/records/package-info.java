/// Looking at records: a bounded search in one partition by offset, time and key, wherever its leader is.
@NullMarked
package io.moldau.ops.records;

import org.jspecify.annotations.NullMarked;
