/// The web console's files: plain pages, styles and scripts in the archive, which show what the admin interface answers
/// and work nothing out themselves.
@NullMarked
package io.moldau.ops.console;

import org.jspecify.annotations.NullMarked;
