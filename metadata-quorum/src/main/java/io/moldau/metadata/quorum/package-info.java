/// The seam between the controller and whatever agrees on the order of its batches.
@NullMarked
package io.moldau.metadata.quorum;

import org.jspecify.annotations.NullMarked;
