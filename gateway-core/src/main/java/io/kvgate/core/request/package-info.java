/** One inference request as routing sees it, and the closed list of ways it can end. */
@NullMarked
package io.kvgate.core.request;

import org.jspecify.annotations.NullMarked;
