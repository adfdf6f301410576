@NullMarked
package io.moldau.ops.console;



