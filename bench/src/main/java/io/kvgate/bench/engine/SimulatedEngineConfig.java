package io.kvgate.bench.engine;

import io.kvgate.bench.engine.api.EngineFlavour;
import io.kvgate.bench.engine.model.EngineProfile;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one simulated engine is set up.
 *
 * @param models served names, at least one; vLLM refuses others, SGLang takes any
 * @param apiKey the key requests must carry, or null for none
 * @param speedup virtual seconds per real second; 1 is life
 * @param seed decides the words of the answers
 * @param dpSize data-parallel ranks, each with its own KV pool
 * @param port port on 127.0.0.1, 0 for a free one
 * @param keepAlive how long an idle connection stays open after an answer
 * @param keptRequests how many requests are remembered with their bodies, for tests
 */
public record SimulatedEngineConfig(
        EngineFlavour flavour,
        List<String> models,
        @Nullable String apiKey,
        double speedup,
        EngineProfile profile,
        long seed,
        int dpSize,
        int port,
        Duration keepAlive,
        int keptRequests) {

    public SimulatedEngineConfig {
        models = List.copyOf(models);
        check(!models.isEmpty(), "models", models, "at least one");
        check(speedup > 0 && !Double.isInfinite(speedup), "speedup", speedup, "> 0");
        check(dpSize >= 1, "dpSize", dpSize, ">= 1");
        check(port >= 0 && port <= 65_535, "port", port, "0 to 65535");
        check(!keepAlive.isNegative() && !keepAlive.isZero(), "keepAlive", keepAlive, "> 0");
        check(keptRequests >= 0, "keptRequests", keptRequests, ">= 0");
    }

    /** A vLLM with Llama-3-8B on one H100, in real time, without a key, on a free port. */
    public static SimulatedEngineConfig defaults() {
        return new SimulatedEngineConfig(
                EngineFlavour.VLLM,
                List.of("llama-3-8b"),
                null,
                1,
                EngineProfile.llama8b(),
                1,
                1,
                0,
                Duration.ofSeconds(5),
                0);
    }

    public SimulatedEngineConfig withFlavour(EngineFlavour value) {
        return new SimulatedEngineConfig(
                value, models, apiKey, speedup, profile, seed, dpSize, port, keepAlive, keptRequests);
    }

    public SimulatedEngineConfig withModels(String... names) {
        return new SimulatedEngineConfig(
                flavour, List.of(names), apiKey, speedup, profile, seed, dpSize, port, keepAlive, keptRequests);
    }

    public SimulatedEngineConfig withApiKey(@Nullable String value) {
        return new SimulatedEngineConfig(
                flavour, models, value, speedup, profile, seed, dpSize, port, keepAlive, keptRequests);
    }

    public SimulatedEngineConfig withSpeedup(double value) {
        return new SimulatedEngineConfig(
                flavour, models, apiKey, value, profile, seed, dpSize, port, keepAlive, keptRequests);
    }

    public SimulatedEngineConfig withProfile(EngineProfile value) {
        return new SimulatedEngineConfig(
                flavour, models, apiKey, speedup, value, seed, dpSize, port, keepAlive, keptRequests);
    }

    /** The same engine with a KV pool of this many blocks, one of which is the null block. */
    public SimulatedEngineConfig withPool(int blocks, int blockSizeTokens) {
        return withProfile(profile.withPool(blocks, blockSizeTokens));
    }

    public SimulatedEngineConfig withSeed(long value) {
        return new SimulatedEngineConfig(
                flavour, models, apiKey, speedup, profile, value, dpSize, port, keepAlive, keptRequests);
    }

    public SimulatedEngineConfig withDpSize(int value) {
        return new SimulatedEngineConfig(
                flavour, models, apiKey, speedup, profile, seed, value, port, keepAlive, keptRequests);
    }

    public SimulatedEngineConfig withPort(int value) {
        return new SimulatedEngineConfig(
                flavour, models, apiKey, speedup, profile, seed, dpSize, value, keepAlive, keptRequests);
    }

    public SimulatedEngineConfig withKeepAlive(Duration value) {
        return new SimulatedEngineConfig(
                flavour, models, apiKey, speedup, profile, seed, dpSize, port, value, keptRequests);
    }

    public SimulatedEngineConfig withKeptRequests(int value) {
        return new SimulatedEngineConfig(
                flavour, models, apiKey, speedup, profile, seed, dpSize, port, keepAlive, value);
    }

    /** Names the key's presence, never the key. */
    @Override
    public String toString() {
        return flavour + " " + models + " on port " + port + (apiKey == null ? "" : ", with a key");
    }

    private static void check(boolean ok, String field, Object value, String expected) {
        if (!ok) {
            throw new IllegalArgumentException(field + ": " + value + " (expected: " + expected + ")");
        }
    }
}
