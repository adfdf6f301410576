/// One partition's registration: how it changes, who may lead it, where its replicas go. Pure.
@NullMarked
package io.moldau.metadata.partition;

import org.jspecify.annotations.NullMarked;
