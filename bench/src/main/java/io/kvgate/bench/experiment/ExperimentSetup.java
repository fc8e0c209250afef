package io.kvgate.bench.experiment;

import io.kvgate.bench.workload.TenantWorkload;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The conditions of the experiment. Times of the engines run {@code speedup} times faster than in a real engine; rates and latencies
 * are given in the engines' time.
 *
 * @param workers engines behind the gateway; 1 to 64
 * @param poolBlocks KV blocks of each engine, of 16 tokens; enough for one request
 * @param shape of the requests
 * @param perSecond mean rate of all requests, Poisson
 * @param speedup engine seconds per second
 * @param warmUpSeconds before counting begins, by the wall clock
 * @param seconds counted, by the wall clock
 * @param seed of texts, tenants and arrivals
 */
record ExperimentSetup(
        int workers,
        int poolBlocks,
        TenantWorkload.Shape shape,
        double perSecond,
        double speedup,
        int warmUpSeconds,
        int seconds,
        long seed) {
    static final int BLOCK_TOKENS = 16;

    /** What the chat template puts behind the user's turn. */
    private static final int ANSWER_OPENING_TOKENS = 4;

    private static final String MODEL = "llama-3-8b";
    private static final int MAX_WORKERS = 64;
    private static final int MAX_SECONDS = 120;
    private static final Map<String, String> DEFAULTS = Map.of(
            "--workers", "4",
            "--blocks", "2560",
            "--turn-tokens", "256",
            "--output-tokens", "32",
            "--rate", "32",
            "--speedup", "4",
            "--warm-up-secs", "4",
            "--secs", "18",
            "--seed", "1");
    private static final int TENANTS = 40;
    private static final int PREFIX_TOKENS = 2_000;

    ExperimentSetup {
        check(workers >= 1 && workers <= MAX_WORKERS, "--workers", workers, "1 to " + MAX_WORKERS);
        int most = (shape.promptTokens() + shape.outputTokens()) / BLOCK_TOKENS + 2;
        check(poolBlocks >= most, "--blocks", poolBlocks, ">= " + most + ", for one request");
        check(perSecond > 0 && perSecond <= 10_000, "--rate", perSecond, "> 0, at most 10000");
        check(speedup > 0 && speedup <= 1_000, "--speedup", speedup, "> 0, at most 1000");
        check(warmUpSeconds >= 1 && warmUpSeconds <= MAX_SECONDS, "--warm-up-secs", warmUpSeconds, "1 to 120");
        check(seconds >= 1 && seconds <= MAX_SECONDS, "--secs", seconds, "1 to 120");
    }

    static List<String> flags() {
        return List.copyOf(new TreeMap<>(DEFAULTS).keySet());
    }

    /** @param given flags with their values; the others have their defaults @throws IllegalArgumentException a value is wrong */
    static ExperimentSetup of(Map<String, String> given) {
        Map<String, String> values = new TreeMap<>(DEFAULTS);
        values.putAll(given);
        return new ExperimentSetup(
                whole(values, "--workers"),
                whole(values, "--blocks"),
                new TenantWorkload.Shape(
                        MODEL,
                        TENANTS,
                        PREFIX_TOKENS,
                        whole(values, "--turn-tokens"),
                        whole(values, "--output-tokens")),
                number(values, "--rate"),
                number(values, "--speedup"),
                whole(values, "--warm-up-secs"),
                whole(values, "--secs"),
                whole(values, "--seed"));
    }

    /** Whole blocks that all requests of a tenant have in common. */
    int prefixBlocks() {
        return (shape.promptTokens() - shape.turnTokens() - ANSWER_OPENING_TOKENS) / BLOCK_TOKENS;
    }

    /** Blocks of a request beyond those. */
    int otherBlocks() {
        int all = (shape.promptTokens() + shape.outputTokens() + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
        return all - prefixBlocks();
    }

    /** Share of prompt tokens that can be expected in the cache; NaN if no closed form fits. */
    double expectedHit(PolicyRun.Spread spread) {
        double prefixes =
                switch (spread) {
                    case ALL_REPLICAS -> shape.tenants();
                    case ONE_REPLICA -> (double) shape.tenants() / workers;
                    case UNKNOWN -> Double.NaN;
                };
        double hit = ClosedForm.hit(prefixes, prefixBlocks(), otherBlocks(), poolBlocks - 1.0);
        return Double.isNaN(prefixes) ? Double.NaN : hit * prefixBlocks() * BLOCK_TOKENS / shape.promptTokens();
    }

    private static int whole(Map<String, String> values, String flag) {
        double value = number(values, flag);
        check(value == Math.rint(value) && Math.abs(value) <= 1e9, flag, value, "a whole number");
        return (int) value;
    }

    private static double number(Map<String, String> values, String flag) {
        String text = values.getOrDefault(flag, "");
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(flag + ": " + text + " (expected: a number)", e);
        }
    }

    private static void check(boolean valid, String name, Object value, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
