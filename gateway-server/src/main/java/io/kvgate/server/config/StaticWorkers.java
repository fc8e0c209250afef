package io.kvgate.server.config;

import io.kvgate.core.error.GatewayException;
import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.core.worker.WorkerUrl;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code --worker-urls}. */
final class StaticWorkers {
    private StaticWorkers() {}

    /** The workers in the order given, each once; what is wrong or doubled goes to {@code in}. */
    static List<WorkerSpec> read(FlagReader in, @Nullable String apiKey, HealthSettings health) {
        String name = CliOptions.WORKER_URLS.name();
        Set<URI> urls = new LinkedHashSet<>();
        for (String text : in.many(CliOptions.WORKER_URLS, List.of())) {
            String shown = FlagReader.shown(withoutUserInfo(text));
            if (text.startsWith("grpc://") || text.startsWith("grpcs://")) {
                in.problem(name + ": " + shown + " (expected: the worker's HTTP address; gRPC is not offered)");
                continue;
            }
            try {
                URI url = WorkerUrl.parse(text);
                if (!urls.add(url)) {
                    in.note(name + ": " + url + " is given more than once and counts once");
                }
            } catch (GatewayException e) {
                in.problem(name + ": " + shown + ", " + e.message());
            }
        }
        return urls.stream()
                .map(url -> new WorkerSpec(url, WorkerRole.REGULAR, null, apiKey, 50, 1.0, Map.of(), null, health))
                .toList();
    }

    /** A password in a URL must not reach a log. */
    private static String withoutUserInfo(String text) {
        return text.replaceAll("[^/@]*@", "…@");
    }
}
