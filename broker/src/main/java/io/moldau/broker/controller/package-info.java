/// How this node and the controllers of other nodes talk: finding the active controller, asking it, and answering
/// others in its place.
@NullMarked
package io.moldau.broker.controller;

import org.jspecify.annotations.NullMarked;
