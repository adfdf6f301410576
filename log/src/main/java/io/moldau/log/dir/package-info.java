/// Log directories: all the partitions in them, their checkpoints, their journal and their upkeep.
@NullMarked
package io.moldau.log.dir;

import org.jspecify.annotations.NullMarked;
