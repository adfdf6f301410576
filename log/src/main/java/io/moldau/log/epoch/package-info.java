/// Which leader epoch began at which offset: the history (pure) and the text of its checkpoint file.
@NullMarked
package io.moldau.log.epoch;

import org.jspecify.annotations.NullMarked;
