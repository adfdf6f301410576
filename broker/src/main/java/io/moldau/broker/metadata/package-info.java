/// The metadata image as request handlers see it.
@NullMarked
package io.moldau.broker.metadata;

import org.jspecify.annotations.NullMarked;
