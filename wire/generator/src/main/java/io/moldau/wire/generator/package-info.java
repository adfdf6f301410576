/// Turns message schemas (JSON) into Java sources. Runs while the project is built and never in a node.
@NullMarked
package io.moldau.wire.generator;

import org.jspecify.annotations.NullMarked;
