/// Tests.
@NullMarked
package io.moldau.log.epoch;

import org.jspecify.annotations.NullMarked;
