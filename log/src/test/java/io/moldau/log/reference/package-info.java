/// Our files against Apache Kafka's own code.
@NullMarked
package io.moldau.log.reference;

import org.jspecify.annotations.NullMarked;
