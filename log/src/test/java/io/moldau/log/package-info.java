/// Tests of the log, and what other modules' tests need of it.
@NullMarked
package io.moldau.log;

import org.jspecify.annotations.NullMarked;
