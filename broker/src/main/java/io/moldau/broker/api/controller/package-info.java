/// Handlers of requests that change metadata: checked here, decided by the active controller.
@NullMarked
package io.moldau.broker.api.controller;

import org.jspecify.annotations.NullMarked;
