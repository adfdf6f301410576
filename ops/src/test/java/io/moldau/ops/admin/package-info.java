@NullMarked
package io.moldau.ops.admin;

import org.jspecify.annotations.NullMarked;
