/// How a node talks to the controllers.
@NullMarked
package io.moldau.metadata.channel;

import org.jspecify.annotations.NullMarked;
