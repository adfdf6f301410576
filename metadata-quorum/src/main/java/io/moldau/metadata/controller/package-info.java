/// The active controller: one thread that turns requests into batches of records.
@NullMarked
package io.moldau.metadata.controller;

import org.jspecify.annotations.NullMarked;
