package io.kvgate.policies;

import java.time.Duration;

/** What a policy can be told: one record per policy, each with its defaults and its checks. */
public sealed interface PolicyConfig {
    /** The name under which the policy is configured and counted. */
    String name();

    /** A policy for one pool. */
    LoadBalancingPolicy create(PolicyServices services);

    /** Whether the policy makes use of what engines report of their load, so that polling them is worth it. */
    default boolean usesEngineLoad() {
        return false;
    }

    /** Uniform chance. */
    record Random() implements PolicyConfig {
        static final String NAME = "random";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(PolicyServices services) {
            return new RandomPolicy(services.random());
        }
    }

    /** In turn. */
    record RoundRobin() implements PolicyConfig {
        static final String NAME = "round_robin";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(PolicyServices services) {
            return new RoundRobinPolicy();
        }
    }

    /**
     * The less loaded of two drawn at random.
     *
     * @param loadMaxAge how long an engine's report of its load is used; positive
     */
    record PowerOfTwo(Duration loadMaxAge) implements PolicyConfig {
        static final String NAME = "power_of_two";

        public PowerOfTwo {
            requirePositive("loadMaxAge", loadMaxAge);
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(PolicyServices services) {
            return new PowerOfTwoPolicy(services.random(), new LoadEstimate(loadMaxAge, services.ticker()));
        }

        @Override
        public boolean usesEngineLoad() {
            return true;
        }
    }

    /**
     * The least loaded of all.
     *
     * @param loadMaxAge how long an engine's report of its load is used; positive
     */
    record LeastLoad(Duration loadMaxAge) implements PolicyConfig {
        static final String NAME = "least_load";

        public LeastLoad {
            requirePositive("loadMaxAge", loadMaxAge);
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(PolicyServices services) {
            return new LeastLoadPolicy(services.random(), new LoadEstimate(loadMaxAge, services.ticker()));
        }

        @Override
        public boolean usesEngineLoad() {
            return true;
        }
    }

    /**
     * The worker that was sent the longest common prefix, by a tree of what was sent, while loads are level; else the least loaded.
     *
     * @param cacheThreshold share of the prompt that must be matched, exclusive; 0 to 1
     * @param savedCharacters a match of this many characters counts whatever its share, if it saves more work than is queued ahead
     *     of it; 0: only the share counts, as in the reference
     * @param balanceAbsThreshold loads are level while most − least is at most this many requests
     * @param balanceRelThreshold or while most is at most this times least; at least 1
     * @param evictionInterval pause between sweeps of the tree; positive
     * @param maxTreeCharacters kept per worker; 0: as many as the engine's KV pool can hold
     * @param loadMaxAge how long an engine's report of its load is used; positive
     */
    record CacheAware(
            double cacheThreshold,
            long savedCharacters,
            int balanceAbsThreshold,
            double balanceRelThreshold,
            Duration evictionInterval,
            long maxTreeCharacters,
            Duration loadMaxAge)
            implements PolicyConfig {
        static final String NAME = "cache_aware";

        public CacheAware {
            require("cacheThreshold", cacheThreshold, cacheThreshold >= 0 && cacheThreshold <= 1, "0 to 1");
            require("savedCharacters", savedCharacters, savedCharacters >= 0, ">= 0");
            requireBalance(balanceAbsThreshold, balanceRelThreshold);
            requirePositive("evictionInterval", evictionInterval);
            require("maxTreeCharacters", maxTreeCharacters, maxTreeCharacters >= 0, ">= 0");
            requirePositive("loadMaxAge", loadMaxAge);
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(PolicyServices services) {
            return new CacheAwarePolicy(this, services);
        }

        @Override
        public boolean usesEngineLoad() {
            return true;
        }
    }

    /**
     * Workers share the range of prompt lengths between them.
     *
     * @param balanceAbsThreshold work is level while most − least characters of the last interval are at most this
     * @param balanceRelThreshold or while most is at most this times least; at least 1
     * @param adjustInterval pause between two divisions of the range, and how long a prompt counts as work; 1 s or more
     */
    record Bucket(int balanceAbsThreshold, double balanceRelThreshold, Duration adjustInterval)
            implements PolicyConfig {
        static final String NAME = "bucket";

        public Bucket {
            requireBalance(balanceAbsThreshold, balanceRelThreshold);
            require("adjustInterval", adjustInterval, adjustInterval.toMillis() >= 1_000, ">= 1 s");
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(PolicyServices services) {
            return new BucketPolicy(this, services);
        }
    }

    /**
     * A routing key stays with its worker.
     *
     * @param evictionInterval pause between two looks for idle keys; zero: keys never expire
     * @param maxIdle how long a key is remembered after its last use; zero: keys never expire
     * @param assignmentMode how a key gets its worker
     * @param maxEntries keys remembered at most; the longest unused goes first; at least 1
     */
    record Manual(Duration evictionInterval, Duration maxIdle, AssignmentMode assignmentMode, int maxEntries)
            implements PolicyConfig {
        static final String NAME = "manual";

        /** How a key gets its worker; among equals chance decides. */
        public enum AssignmentMode {
            RANDOM,
            /** Fewest requests in flight. */
            MIN_LOAD,
            /** Fewest distinct routing keys with a request in flight. */
            MIN_GROUP
        }

        public Manual {
            require("evictionInterval", evictionInterval, !evictionInterval.isNegative(), ">= 0");
            require("maxIdle", maxIdle, !maxIdle.isNegative(), ">= 0");
            require("maxEntries", maxEntries, maxEntries >= 1, ">= 1");
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(PolicyServices services) {
            return new ManualPolicy(this, services);
        }
    }

    /**
     * A routing key's place on a hash ring names its worker.
     *
     * @param maxLoadSkew an explicit key's worker may have at most this times the mean load, else the next on the ring is taken; at
     *     least 1; 0: off
     */
    record ConsistentHashing(double maxLoadSkew) implements PolicyConfig {
        static final String NAME = "consistent_hashing";

        public ConsistentHashing {
            boolean valid = maxLoadSkew == 0 || (maxLoadSkew >= 1 && maxLoadSkew < Double.POSITIVE_INFINITY);
            require("maxLoadSkew", maxLoadSkew, valid, "0, or >= 1");
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(PolicyServices services) {
            return new ConsistentHashingPolicy(maxLoadSkew, services);
        }
    }

    /**
     * The first tokens' place on a hash ring names a worker, unless it is overloaded.
     *
     * @param prefixTokenCount tokens that are hashed; at least 1
     * @param loadFactor the worker may have at most this times the mean load; at least 1
     */
    record PrefixHash(int prefixTokenCount, double loadFactor) implements PolicyConfig {
        static final String NAME = "prefix_hash";

        public PrefixHash {
            require("prefixTokenCount", prefixTokenCount, prefixTokenCount >= 1, ">= 1");
            boolean valid = loadFactor >= 1 && loadFactor < Double.POSITIVE_INFINITY;
            require("loadFactor", loadFactor, valid, "finite, >= 1");
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(PolicyServices services) {
            return new PrefixHashPolicy(this, services);
        }
    }

    private static void requireBalance(int abs, double rel) {
        require("balanceAbsThreshold", abs, abs >= 0, ">= 0");
        require("balanceRelThreshold", rel, rel >= 1 && rel < Double.POSITIVE_INFINITY, "finite, >= 1");
    }

    private static void requirePositive(String name, Duration value) {
        require(name, value, !value.isNegative() && !value.isZero(), "> 0");
    }

    private static void require(String name, Object value, boolean valid, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
