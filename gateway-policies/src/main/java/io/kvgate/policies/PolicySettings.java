package io.kvgate.policies;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * The parameters of every policy, so that a name alone picks one with what the operator set. Defaults are those of the reference's
 * Python launcher.
 */
public record PolicySettings(
        PolicyConfig.PowerOfTwo powerOfTwo,
        PolicyConfig.LeastLoad leastLoad,
        PolicyConfig.CacheAware cacheAware,
        PolicyConfig.Bucket bucket,
        PolicyConfig.Manual manual,
        PolicyConfig.ConsistentHashing consistentHashing,
        PolicyConfig.PrefixHash prefixHash) {
    /** Two and a half polls at the reference's 30 s: one poll may be late or fail before a report is dropped. */
    public static final Duration DEFAULT_LOAD_MAX_AGE = Duration.ofSeconds(75);

    public static final PolicySettings DEFAULT = new PolicySettings(
            new PolicyConfig.PowerOfTwo(DEFAULT_LOAD_MAX_AGE),
            new PolicyConfig.LeastLoad(DEFAULT_LOAD_MAX_AGE),
            new PolicyConfig.CacheAware(0.3, 2_048, 64, 1.5, Duration.ofSeconds(60), 0, DEFAULT_LOAD_MAX_AGE),
            new PolicyConfig.Bucket(64, 1.5, Duration.ofSeconds(5)),
            new PolicyConfig.Manual(
                    Duration.ofSeconds(60), Duration.ofHours(4), PolicyConfig.Manual.AssignmentMode.RANDOM, 1_000_000),
            new PolicyConfig.ConsistentHashing(0),
            new PolicyConfig.PrefixHash(256, 1.25));

    /** All of them, in no order. */
    List<PolicyConfig> all() {
        return List.of(
                new PolicyConfig.Random(),
                new PolicyConfig.RoundRobin(),
                powerOfTwo,
                leastLoad,
                cacheAware,
                bucket,
                manual,
                consistentHashing,
                prefixHash);
    }

    /** Canonical names, sorted. */
    public static Set<String> names() {
        Set<String> names = new TreeSet<>();
        DEFAULT.all().forEach(config -> names.add(config.name()));
        return names;
    }

    /**
     * The policy of that name with its parameters. Names in any case; each also without its underscores.
     *
     * @throws IllegalArgumentException unknown name; the message lists the known ones
     */
    public PolicyConfig named(String name) {
        String given = name.strip().toLowerCase(Locale.ROOT);
        for (PolicyConfig config : all()) {
            if (config.name().equals(given) || config.name().replace("_", "").equals(given)) {
                return config;
            }
        }
        throw new IllegalArgumentException(
                "policy: " + name + " (expected: one of " + String.join(", ", names()) + ")");
    }
}
