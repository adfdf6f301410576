/// The records of the metadata log: protobuf messages generated from `metadata_records.proto`, and what turns them
/// into
/// values and back.
@NullMarked
package io.moldau.metadata.record;

import org.jspecify.annotations.NullMarked;
