/// Tests.
@NullMarked
package io.moldau.log.dir;

import org.jspecify.annotations.NullMarked;
