package io.kvgate.core.request;

import org.jspecify.annotations.Nullable;

/**
 * What a client's headers say on where its request should go. Read only if a policy asks.
 *
 * <p>Threading: confined to the request's event loop.
 */
public interface RoutingKeys {
    /** No header says anything. */
    RoutingKeys NONE = of(null, null, null);

    /** {@code X-SMG-Target-Worker}: a position in the pool, as the client wrote it; null if absent or empty. */
    @Nullable
    String targetWorker();

    /** {@code X-SMG-Routing-Key}; null if absent, empty or not visible ASCII. */
    @Nullable
    String routingKey();

    /**
     * The first <em>present</em> of {@code Authorization}, {@code X-Forwarded-For} and {@code Cookie}, whole; null if none is present,
     * or that one is empty or not visible ASCII.
     */
    @Nullable
    String implicitKey();

    /** Keys that are known already. */
    static RoutingKeys of(@Nullable String targetWorker, @Nullable String routingKey, @Nullable String implicitKey) {
        record Known(
                @Nullable String targetWorker,
                @Nullable String routingKey,
                @Nullable String implicitKey) implements RoutingKeys {}
        return new Known(targetWorker, routingKey, implicitKey);
    }
}
