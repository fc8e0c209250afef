package io.kvgate.server.config;

import io.kvgate.core.worker.HealthSettings;
import io.kvgate.core.worker.WorkerRole;
import io.kvgate.core.worker.WorkerSpec;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code --worker-urls}. */
final class StaticWorkers {
    private static final String EXPECTED = " (expected: " + ValueType.WORKER_URL.expected() + ")";

    private StaticWorkers() {}

    /** The workers in the order given, each once; what is wrong or doubled goes to {@code in}. */
    static List<WorkerSpec> read(FlagReader in, @Nullable String apiKey, HealthSettings health) {
        String name = CliOptions.WORKER_URLS.name();
        Set<URI> urls = new LinkedHashSet<>();
        for (String text : in.many(CliOptions.WORKER_URLS, List.of())) {
            if (text.startsWith("grpc://") || text.startsWith("grpcs://")) {
                in.problem(name + ": " + text
                        + " (expected: the worker's HTTP address; workers over gRPC are not offered)");
                continue;
            }
            URI url = parse(text);
            if (url == null) {
                in.problem(name + ": " + withoutUserInfo(text) + EXPECTED);
            } else if (!urls.add(url)) {
                in.note(name + ": " + url + " is given more than once and counts once");
            }
        }
        List<WorkerSpec> workers = new ArrayList<>();
        for (URI url : urls) {
            workers.add(new WorkerSpec(url, WorkerRole.REGULAR, null, apiKey, 50, 1.0, Map.of(), null, health));
        }
        return workers;
    }

    private static @Nullable URI parse(String text) {
        try {
            URI given = new URI(text.contains("://") ? text : "http://" + text);
            String scheme = given.getScheme();
            boolean https = "https".equalsIgnoreCase(scheme);
            if ((!https && !"http".equalsIgnoreCase(scheme))
                    || given.getHost() == null
                    || given.getRawUserInfo() != null
                    || given.getRawQuery() != null
                    || given.getRawFragment() != null
                    || given.getPort() == 0
                    || given.getPort() > 65_535) {
                return null;
            }
            int port = given.getPort() < 0 ? (https ? 443 : 80) : given.getPort();
            String path = given.getRawPath().replaceAll("/+$", "");
            return new URI((https ? "https" : "http") + "://" + given.getHost() + ":" + port + path);
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** A password in a URL must not reach a log. */
    private static String withoutUserInfo(String text) {
        return text.replaceAll("//[^/@]*@", "//…@");
    }
}
