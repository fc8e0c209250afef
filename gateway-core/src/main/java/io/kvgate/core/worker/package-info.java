/** Workers, their registry and its immutable snapshots. Writers publish; a request reads one snapshot and keeps it. */
@NullMarked
package io.kvgate.core.worker;

import org.jspecify.annotations.NullMarked;
