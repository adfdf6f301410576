/// One class for each operation of the controller: from the state and a request to records and an answer. Pure.
@NullMarked
package io.moldau.metadata.controller.op;

import org.jspecify.annotations.NullMarked;
