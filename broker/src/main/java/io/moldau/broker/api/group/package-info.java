/// The APIs of consumer groups: between requests in all their versions and the group coordinator.
@NullMarked
package io.moldau.broker.api.group;

import org.jspecify.annotations.NullMarked;
