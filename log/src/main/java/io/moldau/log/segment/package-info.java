/// One stretch of a partition's log: its data file and the indexes that find offsets, times and aborted
/// transactions in it.
@NullMarked
package io.moldau.log.segment;

import org.jspecify.annotations.NullMarked;
