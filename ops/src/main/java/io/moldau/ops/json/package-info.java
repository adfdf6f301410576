/// JSON for answers, reports and dumps; written once for the command line and the admin interface.
@NullMarked
package io.moldau.ops.json;

import org.jspecify.annotations.NullMarked;
