/**
 * Background work: an agent says what to do when, a runner gives it one named thread. A test steps the same agent without a thread.
 * Uses {@code time} only.
 */
@NullMarked
package io.kvgate.core.agent;

import org.jspecify.annotations.NullMarked;
