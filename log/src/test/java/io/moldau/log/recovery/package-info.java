/// Tests.
@NullMarked
package io.moldau.log.recovery;

import org.jspecify.annotations.NullMarked;
