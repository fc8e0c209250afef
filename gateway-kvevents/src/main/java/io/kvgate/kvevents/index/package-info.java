/** What every replica's cache holds, by keys of our own, for many readers and one writer. */
@NullMarked
package io.kvgate.kvevents.index;

import org.jspecify.annotations.NullMarked;
