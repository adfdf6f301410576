@NullMarked
package io.moldau.ops.json;



