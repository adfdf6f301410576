/// The metadata quorum of a node as a whole: what a node starts.
@NullMarked
package io.moldau.metadata;

import org.jspecify.annotations.NullMarked;
