/// What is counted, and how it is told to Prometheus. The only package that knows Micrometer and Prometheus.
///
/// Events come in through the small interfaces of the other modules and are added to
/// [java.util.concurrent.atomic.LongAdder]s;
/// state is read when somebody scrapes. Nothing here runs by itself.
@NullMarked
package io.moldau.ops.metrics;

import org.jspecify.annotations.NullMarked;
