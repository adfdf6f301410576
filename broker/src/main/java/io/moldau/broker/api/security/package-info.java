/// Handlers of the APIs by which clients say who they are.
@NullMarked
package io.moldau.broker.api.security;

import org.jspecify.annotations.NullMarked;
