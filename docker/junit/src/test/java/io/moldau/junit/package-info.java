@NullMarked
package io.moldau.junit;

import org.jspecify.annotations.NullMarked;
