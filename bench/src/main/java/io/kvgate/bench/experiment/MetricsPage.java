package io.kvgate.bench.experiment;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The counters of a page in Prometheus' text format, as an engine or the gateway gives it.
 *
 * @param text the page
 */
record MetricsPage(String text) {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int OK = 200;

    /** Asks for it. */
    static MetricsPage of(HttpClient client, URI url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(url).timeout(PATIENCE).build();
        HttpResponse<String> page = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (page.statusCode() != OK) {
            throw new IOException(url + ": status " + page.statusCode());
        }
        return new MetricsPage(page.body());
    }

    /** All samples of that name together; 0 if there is none. */
    long sum(String name) {
        return samples(name).mapToLong(MetricsPage::value).sum();
    }

    /** The samples of that name by the value of a label. */
    Map<String, Long> byLabel(String name, String label) {
        Map<String, Long> values = new TreeMap<>();
        samples(name).forEach(line -> values.merge(labelValue(line, label), value(line), Long::sum));
        return values;
    }

    private Stream<String> samples(String name) {
        return text.lines().filter(line -> line.startsWith(name + "{") || line.startsWith(name + " "));
    }

    private static long value(String line) {
        return (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
    }

    /** Without escapes, which our own labels don't have; empty if there is no such label. */
    private static String labelValue(String line, String label) {
        int from = line.indexOf(label + "=\"");
        if (from < 0) {
            return "";
        }
        int begin = from + label.length() + 2;
        return line.substring(begin, line.indexOf('"', begin));
    }
}
