package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.metrics.MetricsRegistry.Counter;
import io.kvgate.core.resilience.ConcurrencyLimiter;
import io.kvgate.core.resilience.ConcurrencyLimiter.Admission;
import io.kvgate.core.resilience.ConcurrencyLimiter.Arrival;
import io.kvgate.core.resilience.ConcurrencyLimiter.OnAdmitted;
import io.kvgate.core.resilience.TokenBucket;
import io.kvgate.core.time.Ticker;
import io.kvgate.server.config.AdmissionConfig;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The two limits an inference request passes before its body is worked on: how many at once, and how many a second.
 *
 * <p>Threading: any thread; without a lock shared by all requests.
 */
final class AdmissionGate {
    private static final Arrival UNLIMITED = new Arrival(Admission.ADMITTED, () -> {});

    private final AdmissionConfig config;
    private final @Nullable ConcurrencyLimiter limiter;
    private final @Nullable TokenBucket bucket;
    private final @Nullable Counter allowed;
    private final @Nullable Counter rejected;

    AdmissionGate(AdmissionConfig config, Ticker ticker, MetricsRegistry registry) {
        this.config = config;
        limiter = config.maxConcurrentRequests() > 0
                ? new ConcurrencyLimiter(config.maxConcurrentRequests(), config.queueSize())
                : null;
        bucket = config.tokensPerSecond() > 0
                ? new TokenBucket(config.tokensPerSecond(), Math.max(1, config.tokensPerSecond()), ticker)
                : null;
        boolean limited = limiter != null || bucket != null;
        allowed = limited ? registry.counter(GatewayMeter.HTTP_RATE_LIMIT, "allowed") : null;
        rejected = limited ? registry.counter(GatewayMeter.HTTP_RATE_LIMIT, "rejected") : null;
        registry.observe(GatewayMeter.PERMITS_IN_USE, () -> limiter == null ? 0 : limiter.inUse());
        registry.observe(GatewayMeter.QUEUE_WAITING, () -> limiter == null ? 0 : limiter.waiting());
    }

    /** Takes a permit or a place in the queue. The arrival's ticket is due whatever the result. */
    Arrival arrive(OnAdmitted onAdmitted) {
        return limiter == null ? UNLIMITED : limiter.acquire(onAdmitted);
    }

    /** The rate limit's refusal of an admitted request, or null. */
    @Nullable
    GatewayException rateRefusal() {
        long wait = bucket == null ? 0 : bucket.tryAcquire();
        if (wait == 0) {
            count(allowed);
            return null;
        }
        count(rejected);
        return new GatewayException(
                ErrorCode.RATE_LIMITED,
                "too many requests a second (limit: --rate-limit-tokens-per-second " + config.tokensPerSecond() + ")",
                Duration.ofNanos(wait));
    }

    GatewayException queueFull() {
        count(rejected);
        return new GatewayException(
                ErrorCode.QUEUE_FULL,
                "too many requests at once (limits: --max-concurrent-requests " + config.maxConcurrentRequests()
                        + ", --queue-size " + config.queueSize() + ")",
                Duration.ofSeconds(1));
    }

    GatewayException queueTimeout() {
        count(rejected);
        return new GatewayException(
                ErrorCode.QUEUE_TIMEOUT,
                "waited too long for a free place (limits: --max-concurrent-requests "
                        + config.maxConcurrentRequests() + ", --queue-timeout-secs "
                        + config.queueTimeout().toMillis() / 1000.0 + ")",
                Duration.ofSeconds(1));
    }

    Duration queueLimit() {
        return config.queueTimeout();
    }

    private static void count(@Nullable Counter counter) {
        if (counter != null) {
            counter.increment();
        }
    }
}
