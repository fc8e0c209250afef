/** Command line → immutable configuration records. Defaults stand here and nowhere else; knows no socket and no Netty. */
@NullMarked
package io.kvgate.server.config;

import org.jspecify.annotations.NullMarked;
