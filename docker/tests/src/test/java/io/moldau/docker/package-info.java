/// The image, the files for compose and Kubernetes, and clusters of containers.
@NullMarked
package io.moldau.docker;

import org.jspecify.annotations.NullMarked;
