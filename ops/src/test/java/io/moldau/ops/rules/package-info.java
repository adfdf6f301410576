/// Rules that hold across all modules, checked on the compiled classes and on the documents.
@NullMarked
package io.moldau.ops.rules;

import org.jspecify.annotations.NullMarked;
