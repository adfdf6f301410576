/// Tests.
@NullMarked
package io.moldau.log.segment;

import org.jspecify.annotations.NullMarked;
