/// Opening a partition's directory, and making it sound again after a crash.
@NullMarked
package io.moldau.log.recovery;

import org.jspecify.annotations.NullMarked;
