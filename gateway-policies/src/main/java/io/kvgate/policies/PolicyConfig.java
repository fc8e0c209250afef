package io.kvgate.policies;

import io.kvgate.core.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/** What a policy can be told: one record per policy, each with its defaults and its checks. */
public sealed interface PolicyConfig {
    /** Two and a half polls at the reference's 30 s: one poll may be late or fail before a report is dropped. */
    Duration DEFAULT_LOAD_MAX_AGE = Duration.ofSeconds(75);

    /** The name under which the policy is configured and counted. */
    String name();

    /** A policy for one pool. */
    LoadBalancingPolicy create(RandomGenerator random, Ticker ticker);

    /** Uniform chance. */
    record Random() implements PolicyConfig {
        static final String NAME = "random";

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(RandomGenerator random, Ticker ticker) {
            return new RandomPolicy(random);
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
        public LoadBalancingPolicy create(RandomGenerator random, Ticker ticker) {
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
            requirePositive(loadMaxAge);
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(RandomGenerator random, Ticker ticker) {
            return new PowerOfTwoPolicy(random, new LoadEstimate(loadMaxAge, ticker));
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
            requirePositive(loadMaxAge);
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public LoadBalancingPolicy create(RandomGenerator random, Ticker ticker) {
            return new LeastLoadPolicy(random, new LoadEstimate(loadMaxAge, ticker));
        }
    }

    /** Canonical names, sorted. */
    static Set<String> names() {
        return new TreeSet<>(List.of(Random.NAME, RoundRobin.NAME, PowerOfTwo.NAME, LeastLoad.NAME));
    }

    /** The policy of that name with its defaults. @throws IllegalArgumentException as {@link #named(String, Duration)} */
    static PolicyConfig named(String name) {
        return named(name, DEFAULT_LOAD_MAX_AGE);
    }

    /**
     * The policy of that name; names and aliases in any case.
     *
     * @param loadMaxAge for the policies that use engine load
     * @throws IllegalArgumentException unknown name; the message lists the known ones
     */
    static PolicyConfig named(String name, Duration loadMaxAge) {
        Map<String, PolicyConfig> known = new TreeMap<>();
        known.put(Random.NAME, new Random());
        known.put(RoundRobin.NAME, new RoundRobin());
        known.put("roundrobin", new RoundRobin());
        known.put(PowerOfTwo.NAME, new PowerOfTwo(loadMaxAge));
        known.put("poweroftwo", new PowerOfTwo(loadMaxAge));
        known.put(LeastLoad.NAME, new LeastLoad(loadMaxAge));
        known.put("leastload", new LeastLoad(loadMaxAge));
        PolicyConfig config = known.get(name.strip().toLowerCase(Locale.ROOT));
        if (config == null) {
            throw new IllegalArgumentException(
                    "policy: " + name + " (expected: one of " + String.join(", ", names()) + ")");
        }
        return config;
    }

    /** Whether the policy makes use of what engines report of their load, so that polling them is worth it. */
    default boolean usesEngineLoad() {
        return this instanceof PowerOfTwo || this instanceof LeastLoad;
    }

    private static void requirePositive(Duration loadMaxAge) {
        if (loadMaxAge.isNegative() || loadMaxAge.isZero()) {
            throw new IllegalArgumentException("loadMaxAge: " + loadMaxAge + " (expected: > 0)");
        }
    }
}
