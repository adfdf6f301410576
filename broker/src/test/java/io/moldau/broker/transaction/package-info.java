@NullMarked
package io.moldau.broker.transaction;

import org.jspecify.annotations.NullMarked;
