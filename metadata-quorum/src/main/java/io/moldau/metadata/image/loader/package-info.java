/// Follows the metadata log on a node and hands every change to the publishers.
@NullMarked
package io.moldau.metadata.image.loader;

import org.jspecify.annotations.NullMarked;
