/// Pure. Which old segments are no longer wanted.
@NullMarked
package io.moldau.log.retention;

import org.jspecify.annotations.NullMarked;
