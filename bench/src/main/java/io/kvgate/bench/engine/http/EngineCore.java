package io.kvgate.bench.engine.http;

import io.kvgate.bench.engine.api.ApiRequestParser;
import io.kvgate.bench.engine.driver.EngineRanks;
import io.kvgate.bench.engine.fault.Faults;
import io.kvgate.bench.engine.page.EngineIdentity;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What all connections of one engine share: its ranks, its faults, its counters and the requests in progress.
 *
 * <p>Threading: confined to the event loop, but for the constructor and the parts that say otherwise.
 */
public final class EngineCore {
    final EngineIdentity identity;
    final EngineRanks ranks;
    final Faults faults;
    final EngineCounters counters;
    final ApiRequestParser parser;
    final Clock clock;
    final @Nullable String apiKey;
    private final Set<InferenceExchange> exchanges = new LinkedHashSet<>();

    public EngineCore(
            EngineIdentity identity,
            EngineRanks ranks,
            Faults faults,
            EngineCounters counters,
            Clock clock,
            @Nullable String apiKey) {
        this.identity = identity;
        this.ranks = ranks;
        this.faults = faults;
        this.counters = counters;
        this.clock = clock;
        this.apiKey = apiKey;
        this.parser = new ApiRequestParser(
                identity.flavour(), identity.models(), identity.profile().maxModelTokens());
    }

    long nowSeconds() {
        return clock.instant().getEpochSecond();
    }

    void add(InferenceExchange exchange) {
        exchanges.add(exchange);
        counters.countStarted();
    }

    void remove(InferenceExchange exchange) {
        if (exchanges.remove(exchange)) {
            counters.countEnded();
        }
    }

    /** Makes an end of every request, without an answer and without counting a client that left. */
    public void dropAll() {
        for (InferenceExchange exchange : new ArrayList<>(exchanges)) {
            exchange.drop();
        }
    }

    /** Aborts the requests whose id starts with {@code prefix}; the empty prefix means none. */
    void abort(String prefix, boolean all) {
        for (InferenceExchange exchange : new ArrayList<>(exchanges)) {
            if (all || (!prefix.isEmpty() && exchange.id().startsWith(prefix))) {
                exchange.abort();
            }
        }
    }
}
