/// Typed configuration keys: what a setting is called, what it may be, what it is when nobody sets it.
@NullMarked
package io.moldau.common.config;

import org.jspecify.annotations.NullMarked;
