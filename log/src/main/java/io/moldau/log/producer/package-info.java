/// Pure. What the log knows about idempotent and transactional producers, and the bytes of its snapshots.
@NullMarked
package io.moldau.log.producer;

import org.jspecify.annotations.NullMarked;
