/// The vocabulary every module shares. Imports the JDK and nothing else.
@NullMarked
package io.moldau.common;

import org.jspecify.annotations.NullMarked;
