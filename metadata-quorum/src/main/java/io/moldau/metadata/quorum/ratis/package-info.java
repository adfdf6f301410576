/// The metadata quorum on Apache Ratis: the only package that knows it.
@NullMarked
package io.moldau.metadata.quorum.ratis;

import org.jspecify.annotations.NullMarked;
