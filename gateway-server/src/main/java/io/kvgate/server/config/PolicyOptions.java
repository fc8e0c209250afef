package io.kvgate.server.config;

import static io.kvgate.server.config.ValueType.text;

import io.kvgate.policies.PolicyConfig;
import io.kvgate.policies.PolicyConfig.Manual.AssignmentMode;
import io.kvgate.policies.PolicySettings;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The part of {@link CliOptions} that tunes policies, and how it becomes {@link PolicySettings}. */
final class PolicyOptions {
    static final Flag<Double> CACHE_THRESHOLD = Flag.one(
            FlagGroup.POLICIES,
            ValueType.decimal(0, 1, false),
            c -> ValueType.plain(cacheAware(c).cacheThreshold()),
            "cache_aware: share of a prompt that must have been seen, exclusive, for the worker that saw it to be chosen. Given"
                    + " without --cache-saved-characters it turns that rule off, as in the reference.",
            "--cache-threshold");

    static final Flag<Long> CACHE_SAVED_CHARACTERS = Flag.one(
            FlagGroup.POLICIES,
            ValueType.count(0),
            c -> "" + cacheAware(c).savedCharacters(),
            "cache_aware: a prefix of this many characters counts whatever its share, if it saves more work than waits there; 0:"
                    + " only the share counts.",
            "--cache-saved-characters");

    static final Flag<Integer> BALANCE_ABS_THRESHOLD = Flag.one(
            FlagGroup.POLICIES,
            ValueType.integer(0, Integer.MAX_VALUE),
            c -> "" + cacheAware(c).balanceAbsThreshold(),
            "cache_aware: loads are level while the most loaded worker has at most this many requests more than the least; bucket:"
                    + " the same in characters.",
            "--balance-abs-threshold");

    static final Flag<Double> BALANCE_REL_THRESHOLD = Flag.one(
            FlagGroup.POLICIES,
            ValueType.decimal(1, Double.POSITIVE_INFINITY, false),
            c -> ValueType.plain(cacheAware(c).balanceRelThreshold()),
            "cache_aware, bucket: or while it has at most this many times as many.",
            "--balance-rel-threshold");

    static final Flag<Duration> EVICTION_INTERVAL = Flag.one(
            FlagGroup.POLICIES,
            ValueType.SECONDS,
            c -> text(cacheAware(c).evictionInterval()),
            "cache_aware: pause between sweeps of the prefix trees, which are bounded meanwhile too; manual: between looks for idle"
                    + " keys.",
            "--eviction-interval-secs",
            "--eviction-interval");

    static final Flag<Long> MAX_TREE_SIZE = Flag.one(
            FlagGroup.POLICIES,
            ValueType.count(0),
            c -> "" + cacheAware(c).maxTreeCharacters(),
            "cache_aware: characters remembered per worker; 0: as many as its engine's KV pool holds.",
            "--max-tree-size");

    static final Flag<Duration> BUCKET_ADJUST_INTERVAL = Flag.one(
            FlagGroup.POLICIES,
            ValueType.SECONDS_FROM_ONE,
            c -> text(settings(c).bucket().adjustInterval()),
            "bucket: pause between two divisions of the range of lengths.",
            "--bucket-adjust-interval-secs");

    static final Flag<Duration> MAX_IDLE = Flag.one(
            FlagGroup.POLICIES,
            ValueType.SECONDS_OR_ZERO,
            c -> text(settings(c).manual().maxIdle()),
            "manual: how long a routing key is remembered after its last use; 0: for ever.",
            "--max-idle-secs");

    static final Flag<AssignmentMode> ASSIGNMENT_MODE = Flag.one(
            FlagGroup.POLICIES,
            ValueType.choice(AssignmentMode.values()),
            c -> text(settings(c).manual().assignmentMode()),
            "manual: how a new key gets its worker: by chance, fewest requests, fewest keys.",
            "--assignment-mode");

    static final Flag<Integer> MAX_ROUTING_KEYS = Flag.one(
            FlagGroup.POLICIES,
            ValueType.integer(1, Integer.MAX_VALUE),
            c -> "" + settings(c).manual().maxEntries(),
            "manual: keys remembered at most per pool; the longest unused goes first.",
            "--max-routing-keys");

    static final Flag<Double> MAX_LOAD_SKEW = Flag.one(
            FlagGroup.POLICIES,
            ValueType.ZERO_OR_FROM_ONE,
            c -> ValueType.plain(settings(c).consistentHashing().maxLoadSkew()),
            "consistent_hashing: a routing key's worker may have at most this times the mean load, else the next on the ring is"
                    + " taken; 0: off.",
            "--max-load-skew");

    static final Flag<Integer> PREFIX_TOKEN_COUNT = Flag.one(
            FlagGroup.POLICIES,
            ValueType.integer(1, Integer.MAX_VALUE),
            c -> "" + settings(c).prefixHash().prefixTokenCount(),
            "prefix_hash: tokens that are hashed.",
            "--prefix-token-count");

    static final Flag<Double> PREFIX_HASH_LOAD_FACTOR = Flag.one(
            FlagGroup.POLICIES,
            ValueType.decimal(1, Double.POSITIVE_INFINITY, false),
            c -> ValueType.plain(settings(c).prefixHash().loadFactor()),
            "prefix_hash: the prefix's worker may have at most this times the mean load.",
            "--prefix-hash-load-factor");

    /** All of this class, in the order of help. */
    static final List<Flag<?>> ALL = List.of(
            CACHE_THRESHOLD,
            CACHE_SAVED_CHARACTERS,
            BALANCE_ABS_THRESHOLD,
            BALANCE_REL_THRESHOLD,
            EVICTION_INTERVAL,
            MAX_TREE_SIZE,
            BUCKET_ADJUST_INTERVAL,
            MAX_IDLE,
            ASSIGNMENT_MODE,
            MAX_ROUTING_KEYS,
            MAX_LOAD_SKEW,
            PREFIX_TOKEN_COUNT,
            PREFIX_HASH_LOAD_FACTOR);

    /** Which flags a policy reads. */
    private static final Map<String, Set<Flag<?>>> READ_BY = Map.of(
            "cache_aware",
            Set.of(
                    CACHE_THRESHOLD,
                    CACHE_SAVED_CHARACTERS,
                    BALANCE_ABS_THRESHOLD,
                    BALANCE_REL_THRESHOLD,
                    EVICTION_INTERVAL,
                    MAX_TREE_SIZE),
            "bucket",
            Set.of(BALANCE_ABS_THRESHOLD, BALANCE_REL_THRESHOLD, BUCKET_ADJUST_INTERVAL),
            "manual",
            Set.of(EVICTION_INTERVAL, MAX_IDLE, ASSIGNMENT_MODE, MAX_ROUTING_KEYS),
            "consistent_hashing",
            Set.of(MAX_LOAD_SKEW),
            "prefix_hash",
            Set.of(PREFIX_TOKEN_COUNT, PREFIX_HASH_LOAD_FACTOR));

    private PolicyOptions() {}

    private static PolicySettings settings(GatewayConfig config) {
        return config.routing().policies();
    }

    private static PolicyConfig.CacheAware cacheAware(GatewayConfig config) {
        return settings(config).cacheAware();
    }

    /**
     * What the flags say of every policy.
     *
     * @param policy the default policy's name; flags that only others read are noted
     * @param loadPollInterval pause between polls of engine load; a report counts until the second after it is half an interval late
     */
    static PolicySettings read(FlagReader in, String policy, Duration loadPollInterval) {
        noteUnread(in, policy);
        PolicySettings defaults = PolicySettings.DEFAULT;
        Duration loadMaxAge = Duration.ofNanos(loadPollInterval.toNanos() / 2 * 5);
        int balanceAbs = in.one(BALANCE_ABS_THRESHOLD, defaults.cacheAware().balanceAbsThreshold());
        double balanceRel = in.one(BALANCE_REL_THRESHOLD, defaults.cacheAware().balanceRelThreshold());
        Duration eviction = in.one(EVICTION_INTERVAL, defaults.cacheAware().evictionInterval());
        long saved = in.given(CACHE_THRESHOLD) ? 0 : defaults.cacheAware().savedCharacters();
        return new PolicySettings(
                new PolicyConfig.PowerOfTwo(loadMaxAge),
                new PolicyConfig.LeastLoad(loadMaxAge),
                new PolicyConfig.CacheAware(
                        in.one(CACHE_THRESHOLD, defaults.cacheAware().cacheThreshold()),
                        in.one(CACHE_SAVED_CHARACTERS, saved),
                        balanceAbs,
                        balanceRel,
                        eviction,
                        in.one(MAX_TREE_SIZE, defaults.cacheAware().maxTreeCharacters()),
                        loadMaxAge),
                new PolicyConfig.Bucket(
                        balanceAbs,
                        balanceRel,
                        in.one(BUCKET_ADJUST_INTERVAL, defaults.bucket().adjustInterval())),
                new PolicyConfig.Manual(
                        eviction,
                        in.one(MAX_IDLE, defaults.manual().maxIdle()),
                        in.one(ASSIGNMENT_MODE, defaults.manual().assignmentMode()),
                        in.one(MAX_ROUTING_KEYS, defaults.manual().maxEntries())),
                new PolicyConfig.ConsistentHashing(
                        in.one(MAX_LOAD_SKEW, defaults.consistentHashing().maxLoadSkew())),
                new PolicyConfig.PrefixHash(
                        in.one(PREFIX_TOKEN_COUNT, defaults.prefixHash().prefixTokenCount()),
                        in.one(PREFIX_HASH_LOAD_FACTOR, defaults.prefixHash().loadFactor())));
    }

    private static void noteUnread(FlagReader in, String policy) {
        Set<Flag<?>> unread = new LinkedHashSet<>(ALL);
        unread.removeAll(READ_BY.getOrDefault(policy, Set.of()));
        in.noEffect(unread, "with the policy " + policy + ", unless a worker's label names another");
    }

    /** The reference's rule for a fixed fleet: two choices need two workers. None at all is allowed: they come by POST /workers. */
    static void checkWorkers(FlagReader in, String policy, Collection<?> staticWorkers) {
        if (policy.equals("power_of_two") && staticWorkers.size() == 1) {
            in.problem(CliOptions.POLICY.name() + ": " + policy + " (expected: at least 2 workers in "
                    + CliOptions.WORKER_URLS.name() + ", or none yet; there is 1)");
        }
    }
}
