/// Where log lines go: what is behind SLF4J's interfaces in a process of ours.
///
/// Own code and no library, since a level must change while a node runs (slf4j-simple cannot) and a start must stay
/// short and small (logback and Log4j read XML and cost a quarter of a second).
@NullMarked
package io.moldau.ops.logging;

import org.jspecify.annotations.NullMarked;
