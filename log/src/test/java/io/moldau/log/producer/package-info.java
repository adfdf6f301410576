/// Tests.
@NullMarked
package io.moldau.log.producer;

import org.jspecify.annotations.NullMarked;
