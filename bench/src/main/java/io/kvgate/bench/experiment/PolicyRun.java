package io.kvgate.bench.experiment;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One line of the experiment: the gateway's flags, as a user gives them.
 *
 * @param flags after {@code --policy}
 * @param spread which closed form it is held against
 */
record PolicyRun(String policy, List<String> flags, Spread spread) {
    /** Where a tenant's requests can be expected to go. */
    enum Spread {
        /** To every replica alike, so each has all prefixes to hold. */
        ALL_REPLICAS,
        /** To one replica, so each has its share of the prefixes. */
        ONE_REPLICA,
        /** Something between. */
        UNKNOWN
    }

    /** All lines, in the order of the report. */
    static List<PolicyRun> all() {
        return List.of(
                of("round_robin", Spread.ALL_REPLICAS),
                of("least_load", Spread.ALL_REPLICAS),
                of("cache_aware", Spread.ONE_REPLICA),
                of("cache_aware", Spread.ONE_REPLICA, "--cache-threshold", "0.3"),
                of("cache_aware", Spread.ALL_REPLICAS, "--cache-threshold", "0.9"),
                of("cache_aware", Spread.UNKNOWN, "--balance-abs-threshold", "2"));
    }

    static PolicyRun of(String policy, Spread spread, String... flags) {
        return new PolicyRun(policy, List.copyOf(Arrays.asList(flags)), spread);
    }

    /** The command line's part that picks the policy. */
    List<String> arguments() {
        List<String> all = new ArrayList<>(List.of("--policy", policy));
        all.addAll(flags);
        return all;
    }

    /** As in {@code cache_aware --cache-threshold 0.9}. */
    String label() {
        return flags.isEmpty() ? policy : policy + " " + String.join(" ", flags);
    }
}
