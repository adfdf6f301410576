@NullMarked
package io.moldau.testcontainers;

import org.jspecify.annotations.NullMarked;
