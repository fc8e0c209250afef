package io.kvgate.core.worker;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The one written form of a worker's base URL, so that the same worker can't be registered twice under two spellings.
 *
 * <p>Scheme and host are lower case, the port is always there, the path has no slash at its end and is empty for the root. An IPv6
 * host keeps its brackets. Messages never repeat the whole input, which may hold a password.
 */
public final class WorkerUrl {
    private static final String EXPECTED = " (expected: [http:// or https://]host[:port][/path])";

    private WorkerUrl() {}

    /**
     * Reads a URL as a person writes it; without a scheme it is {@code http}.
     *
     * @throws GatewayException INVALID_REQUEST if it can't be a worker's base URL
     */
    public static URI parse(String text) {
        String trimmed = text.strip();
        if (trimmed.isEmpty()) {
            throw invalid("empty");
        }
        try {
            return normalize(new URI(trimmed.contains("://") ? trimmed : "http://" + trimmed));
        } catch (URISyntaxException e) {
            throw invalid(e.getReason() + " at index " + e.getIndex());
        }
    }

    /**
     * The same for a URL that is already parsed. Normalizing twice changes nothing.
     *
     * @throws GatewayException INVALID_REQUEST if it can't be a worker's base URL
     */
    public static URI normalize(URI url) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
            throw invalid("scheme " + (scheme.isEmpty() ? "missing" : "not supported: " + scheme));
        }
        refuse(url.getRawUserInfo(), "user information is not allowed, nor is a rank after @");
        refuse(url.getRawQuery(), "a query is not allowed");
        refuse(url.getRawFragment(), "a fragment is not allowed");
        String host = host(url);
        String port = Integer.toString(port(url, scheme));
        try {
            return new URI(scheme + "://" + host + ":" + port + path(url));
        } catch (URISyntaxException e) {
            throw invalid(e.getReason());
        }
    }

    private static String host(URI url) {
        String host = url.getHost();
        if (host != null) {
            return host.toLowerCase(Locale.ROOT);
        }
        String authority = url.getRawAuthority();
        if (authority == null || authority.startsWith(":")) {
            throw invalid("host missing");
        }
        // java.net.URI knows no host here, whatever is wrong: an underscore, a port that is no number, or @ in odd
        // places.
        throw invalid(
                authority.indexOf('@') >= 0
                        ? "user information is not allowed, nor is a rank after @"
                        : "host or port not valid: letters, digits, - and . make a host, digits a port");
    }

    private static int port(URI url, String scheme) {
        int port = url.getPort();
        if (port == -1) {
            return scheme.equals("https") ? 443 : 80;
        }
        if (port < 1 || port > 65_535) {
            throw invalid("port out of range: " + port);
        }
        return port;
    }

    private static String path(URI url) {
        String path = url.getRawPath() == null ? "" : url.getRawPath();
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        return path.substring(0, end);
    }

    private static void refuse(@Nullable String part, String message) {
        if (part != null) {
            throw invalid(message);
        }
    }

    private static GatewayException invalid(String problem) {
        return new GatewayException(ErrorCode.INVALID_REQUEST, "worker url: " + problem + EXPECTED);
    }
}
