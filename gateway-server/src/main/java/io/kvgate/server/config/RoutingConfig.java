package io.kvgate.server.config;

/**
 * Policies and model matching.
 *
 * @param policy name of the policy
 * @param modelRouting how a request's model picks its workers
 */
public record RoutingConfig(String policy, ModelRouting modelRouting) {
    /** How a request's model picks its workers. */
    public enum ModelRouting {
        /** Workers that serve the model; unknown model: 404. Workers whose model is not known serve any. */
        MATCH,
        /** Any worker, whatever the model. */
        ANY
    }

    public static final RoutingConfig DEFAULT = new RoutingConfig("least_load", ModelRouting.MATCH);

    public RoutingConfig {
        Check.notBlank("policy", policy);
    }
}
