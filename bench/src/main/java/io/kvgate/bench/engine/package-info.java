/**
 * Engines that behave like vLLM or SGLang without a GPU: the model of an engine behind a real socket, with faults that
 * can be turned on while it runs. This package holds what users of an engine touch; {@code model} may be used alone.
 */
@NullMarked
package io.kvgate.bench.engine;

import org.jspecify.annotations.NullMarked;
