/// Finding damage in files that nobody wrote to for a while, before a reader is given it, and mending it.
@NullMarked
package io.moldau.log.scrub;

import org.jspecify.annotations.NullMarked;
