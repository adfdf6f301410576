@NullMarked
package io.moldau.ops.records;



