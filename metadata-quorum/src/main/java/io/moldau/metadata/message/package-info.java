/// What nodes and controllers say to each other: protobuf messages generated from `quorum.proto`.
@NullMarked
package io.moldau.metadata.message;

import org.jspecify.annotations.NullMarked;
