/**
 * What clients send and when: seeded texts, conversations and arrivals. Pure; opens no socket and reads no clock. The words are made
 * so that the simulated engine's token counts are known beforehand.
 */
@NullMarked
package io.kvgate.bench.workload;

import org.jspecify.annotations.NullMarked;
