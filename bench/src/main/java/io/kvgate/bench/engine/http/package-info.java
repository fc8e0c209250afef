/**
 * The engine's HTTP side: connections, requests, answers, and the faults among them. Each engine has one event loop,
 * and everything here is confined to it; only the counters are read from other threads.
 */
@NullMarked
package io.kvgate.bench.engine.http;

import org.jspecify.annotations.NullMarked;
