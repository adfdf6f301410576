/// A partition's log on disk, in Apache Kafka's layout. Knows no network and no metadata.
@NullMarked
package io.moldau.log;

import org.jspecify.annotations.NullMarked;
