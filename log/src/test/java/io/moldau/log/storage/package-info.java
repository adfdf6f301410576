/// Tests.
@NullMarked
package io.moldau.log.storage;

import org.jspecify.annotations.NullMarked;
