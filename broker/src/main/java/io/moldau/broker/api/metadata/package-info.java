/// Handlers that answer from the metadata image. They read it, and change nothing by themselves.
@NullMarked
package io.moldau.broker.api.metadata;

import org.jspecify.annotations.NullMarked;
