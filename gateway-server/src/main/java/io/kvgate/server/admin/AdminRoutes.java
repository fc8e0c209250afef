package io.kvgate.server.admin;

import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.server.http.ControlPlane;
import io.kvgate.server.http.ControlRoute;
import io.kvgate.server.monitor.LoadReader;
import io.kvgate.server.monitor.WorkerHttp;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All routes of the gateway's own API.
 *
 * <p>Threading: any thread; immutable but for what its parts guard themselves.
 */
public final class AdminRoutes implements ControlPlane {
    /**
     * What the routes work on.
     *
     * @param registry all workers
     * @param http asks workers
     * @param loads asks engines for their load
     * @param readiness answers {@code /readiness}
     * @param healthDefaults health settings of workers that bring none of their own
     * @param metrics counts registrations
     * @param ticker tells ages
     */
    public record Parts(
            WorkerRegistry registry,
            WorkerHttp http,
            LoadReader loads,
            ReadinessCheck readiness,
            HealthSettings healthDefaults,
            MetricsRegistry metrics,
            Ticker ticker) {}

    private final Map<String, ControlRoute> exact = new HashMap<>();
    private final ControlRoute worker;
    private final ControlRoute model;

    public AdminRoutes(Parts parts) {
        WorkerChoice choice = new WorkerChoice(parts.registry());
        exact.putAll(new HealthRoutes(parts.readiness(), parts.http(), choice, parts.ticker()).routes());
        exact.putAll(new InfoRoutes(parts.http(), choice).routes());
        exact.putAll(new FanOutRoutes(parts.registry(), parts.http(), parts.loads(), parts.ticker()).routes());
        ModelRoutes models = new ModelRoutes(parts.registry(), parts.http(), parts.ticker());
        exact.put(ModelRoutes.LIST_PATH, models.list());
        model = models.item();
        WorkerRoutes workers = new WorkerRoutes(
                parts.registry(), parts.healthDefaults(), new WorkerView(parts.ticker()), parts.metrics());
        exact.put(WorkerRoutes.LIST_PATH, workers.list());
        worker = workers.item();
    }

    @Override
    public @Nullable ControlRoute route(String path) {
        ControlRoute route = exact.get(path);
        if (route != null) {
            return route;
        }
        if (isItem(path, WorkerRoutes.ITEM_PREFIX)) {
            return worker;
        }
        return isItem(path, ModelRoutes.ITEM_PREFIX) ? model : null;
    }

    private static boolean isItem(String path, String prefix) {
        return path.startsWith(prefix) && path.length() > prefix.length();
    }
}
