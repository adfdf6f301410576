/// Who wants to know about new metadata.
@NullMarked
package io.moldau.metadata.image.publisher;

import org.jspecify.annotations.NullMarked;
