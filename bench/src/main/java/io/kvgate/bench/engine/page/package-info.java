/** What an engine tells about itself: models, server, load and metrics pages. Reads snapshots only. */
@NullMarked
package io.kvgate.bench.engine.page;

import org.jspecify.annotations.NullMarked;
