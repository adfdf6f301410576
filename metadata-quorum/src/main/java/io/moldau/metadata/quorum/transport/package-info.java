/// What carries the messages of the metadata quorum's voters from one to another.
@NullMarked
package io.moldau.metadata.quorum.transport;

import org.jspecify.annotations.NullMarked;
