/// Tests of the shared vocabulary.
@NullMarked
package io.moldau.common;

import org.jspecify.annotations.NullMarked;
