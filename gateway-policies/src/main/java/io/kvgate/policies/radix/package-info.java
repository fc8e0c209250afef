/**
 * An approximate picture of which worker holds which prefix: a tree of the prompts that were sent, each node with the workers
 * that it was sent to. Read and written by all event loops at once; swept by the maintenance thread. Uses {@code core} only.
 */
@NullMarked
package io.kvgate.policies.radix;

import org.jspecify.annotations.NullMarked;
