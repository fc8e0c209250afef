package io.kvgate.bench.sim;

import io.kvgate.bench.engine.model.EngineProfile;
import io.kvgate.bench.sim.traffic.Workload;

/**
 * The conditions of one simulation.
 *
 * @param workers engines; 1 to 512
 * @param engine what each of them is
 * @param perSecond mean rate of requests from outside, Poisson
 * @param seconds of virtual time; the first third is not counted; 1 to 3,600
 * @param seed of texts, arrivals and the policy's choices
 */
record SimulationSetup(int workers, EngineProfile engine, Workload workload, double perSecond, int seconds, long seed) {
    private static final int MAX_WORKERS = 512;
    private static final int MAX_SECONDS = 3_600;
    private static final int MAX_PER_SECOND = 10_000;
    private static final int DEFAULT_WORKERS = 8;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    SimulationSetup {
        check("workers", workers, workers >= 1 && workers <= MAX_WORKERS, "1 to " + MAX_WORKERS);
        boolean possible = perSecond > 0 && perSecond <= MAX_PER_SECOND;
        check("--rate", perSecond, possible, "> 0, at most " + MAX_PER_SECOND);
        check("--secs", seconds, seconds >= 1 && seconds <= MAX_SECONDS, "1 to " + MAX_SECONDS);
    }

    /** Eight Llama-3-8B engines. */
    static SimulationSetup llamas(Workload workload, double perSecond, int seconds, long seed) {
        return new SimulationSetup(DEFAULT_WORKERS, EngineProfile.llama8b(), workload, perSecond, seconds, seed);
    }

    long endNanos() {
        return seconds * NANOS_PER_SECOND;
    }

    /** Before this moment caches fill and nothing is counted. */
    long countFromNanos() {
        return endNanos() / 3;
    }

    private static void check(String name, Object value, boolean valid, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
