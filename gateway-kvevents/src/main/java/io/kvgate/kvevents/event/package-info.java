/** What an engine says of its prefix cache: stored, removed, cleared. Values only. */
@NullMarked
package io.kvgate.kvevents.event;

import org.jspecify.annotations.NullMarked;
