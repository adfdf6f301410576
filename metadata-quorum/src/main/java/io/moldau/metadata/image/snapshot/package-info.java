/// An image as bytes, and back.
@NullMarked
package io.moldau.metadata.image.snapshot;

import org.jspecify.annotations.NullMarked;
