/// The APIs of transactions.
@NullMarked
package io.moldau.broker.api.transaction;

import org.jspecify.annotations.NullMarked;
