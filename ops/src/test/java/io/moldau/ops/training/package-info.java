/// What a start costs, and with how little a node works.
@NullMarked
package io.moldau.ops.training;

import org.jspecify.annotations.NullMarked;
