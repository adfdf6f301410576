@NullMarked
package io.moldau.log.space;

import org.jspecify.annotations.NullMarked;
