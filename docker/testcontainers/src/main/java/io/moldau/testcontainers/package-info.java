/// Moldau as a container of Testcontainers.
@NullMarked
package io.moldau.testcontainers;

import org.jspecify.annotations.NullMarked;
