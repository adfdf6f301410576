/// Tests of what retention decides.
@NullMarked
package io.moldau.log.retention;

import org.jspecify.annotations.NullMarked;
