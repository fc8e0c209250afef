package io.kvgate.server.config;

import static java.util.Objects.requireNonNull;

import io.kvgate.policies.PolicySettings;

/**
 * Policies and model matching.
 *
 * @param policy name of the policy that holds where no worker's label names another
 * @param policies parameters of every policy
 * @param modelRouting how a request's model picks its workers
 */
public record RoutingConfig(String policy, PolicySettings policies, ModelRouting modelRouting) {
    /** How a request's model picks its workers. */
    public enum ModelRouting {
        /** Workers that serve the model; unknown model: 404. Workers whose model is not known serve any. */
        MATCH,
        /** Any worker, whatever the model. */
        ANY
    }

    public static final RoutingConfig DEFAULT =
            new RoutingConfig("cache_aware", PolicySettings.DEFAULT, ModelRouting.MATCH);

    public RoutingConfig {
        Check.notBlank("policy", policy);
        requireNonNull(policies, "policies");
    }
}
