/// Tests.
@NullMarked
package io.moldau.log.append;

import org.jspecify.annotations.NullMarked;
