/// Tests of configuration keys and schemas.
@NullMarked
package io.moldau.common.config;

import org.jspecify.annotations.NullMarked;
