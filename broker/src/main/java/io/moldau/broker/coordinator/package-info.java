/// Puts the coordinators of a node together.
@NullMarked
package io.moldau.broker.coordinator;

import org.jspecify.annotations.NullMarked;
