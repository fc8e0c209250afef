package io.kvgate.policies;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;

/**
 * One of the ways a policy comes to its choice: the word for it, and the count of its uses.
 *
 * <p>Threading: any thread.
 */
final class Branch {
    private final String reason;
    private final MetricsRegistry.Counter count;

    /** @param meter a counter with the one label {@code branch} */
    Branch(PolicyServices services, GatewayMeter meter, String reason) {
        this.reason = reason;
        count = services.metrics().counter(meter, reason);
    }

    void taken(SelectionContext context) {
        count.increment();
        context.reason(reason);
    }
}
