/// What becomes of writes when a disk runs full.
@NullMarked
package io.moldau.log.space;

import org.jspecify.annotations.NullMarked;
