@NullMarked
package io.moldau.log.clean;

import org.jspecify.annotations.NullMarked;
