/// Checks the logs of a node in the background and fetches from other replicas what is damaged here.
@NullMarked
package io.moldau.broker.scrub;

import org.jspecify.annotations.NullMarked;
