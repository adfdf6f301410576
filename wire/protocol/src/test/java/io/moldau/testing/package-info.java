/// What tests of every module share: seeds, a clock moved by hand, random record batches.
@NullMarked
package io.moldau.testing;

import org.jspecify.annotations.NullMarked;
