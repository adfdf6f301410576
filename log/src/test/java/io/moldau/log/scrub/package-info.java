@NullMarked
package io.moldau.log.scrub;

import org.jspecify.annotations.NullMarked;
