/// The data APIs: produce, fetch and the look-ups and deletions around them. One handler per API.
@NullMarked
package io.moldau.broker.api.data;

import org.jspecify.annotations.NullMarked;
