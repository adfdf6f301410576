/// The seam between the log and a disk: what a log needs of files and directories, and the real ones.
@NullMarked
package io.moldau.log.storage;

import org.jspecify.annotations.NullMarked;
