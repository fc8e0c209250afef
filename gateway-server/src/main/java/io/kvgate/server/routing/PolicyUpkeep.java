package io.kvgate.server.routing;

import io.kvgate.core.agent.Agent;
import io.kvgate.policies.PolicyRegistry;
import java.util.concurrent.TimeUnit;

/**
 * Lets the policies do what is due by time: eviction, expiry, new divisions.
 *
 * <p>Threading: an {@link Agent}; its thread is the only one that maintains policies.
 */
public final class PolicyUpkeep implements Agent {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final PolicyRegistry policies;

    public PolicyUpkeep(PolicyRegistry policies) {
        this.policies = policies;
    }

    @Override
    public String roleName() {
        return "policies";
    }

    @Override
    public long doWork(long nowNanos) {
        policies.maintain();
        return PAUSE_NANOS;
    }
}
