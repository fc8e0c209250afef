package io.kvgate.server.routing;

import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerSpec;
import io.kvgate.server.config.AuthConfig;
import io.kvgate.server.config.HeaderConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import java.net.URI;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Writes the request head that a worker gets: the client's end-to-end headers, the worker's own authority and key, the chain of
 * forwarding headers, one request id, and the body's true length.
 *
 * <p>Authorization: the worker's key if it has one, else the client's own header, unless that holds the gateway's key, however it
 * is spelled.
 *
 * <p>Threading: immutable; shared.
 */
public final class RequestHeadEncoder {
    private static final String BEARER = "Bearer ";

    /** Replaced by the gateway, or meant for it alone. */
    private static final List<String> NOT_PASSED_ON = List.of(
            "host",
            "content-length",
            "expect",
            "authorization",
            "x-request-id",
            "x-smg-target-worker",
            "x-kvgate-explain",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto");

    private final Set<String> notPassedOn = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private final @Nullable String gatewayKey;

    public RequestHeadEncoder(HeaderConfig headers, AuthConfig auth) {
        notPassedOn.addAll(NOT_PASSED_ON);
        notPassedOn.addAll(HopByHop.NAMES);
        notPassedOn.addAll(headers.deniedRequestHeaders());
        gatewayKey = auth.apiKey();
    }

    /** The head for one worker. The caller owns the buffer. */
    public ByteBuf encode(RequestHead head, Worker worker, int bodyBytes, ByteBufAllocator alloc) {
        WorkerSpec spec = worker.spec();
        URI url = spec.url();
        ByteBuf out = alloc.buffer(1_024);
        ascii(out, head.method().name());
        out.writeByte(' ');
        if (url.getRawPath() != null) {
            ascii(out, url.getRawPath());
        }
        ascii(out, head.target());
        ascii(out, " HTTP/1.1\r\n");
        line(out, "host", authority(url));
        endToEnd(out, head.headers());
        authorization(out, head.headers().get("authorization"), spec.apiKey());
        forwarding(out, head);
        if (bodyBytes > 0 || carriesBody(head.method())) {
            line(out, "content-length", Integer.toString(bodyBytes));
        }
        return out.writeByte('\r').writeByte('\n');
    }

    private void endToEnd(ByteBuf out, HttpHeaders received) {
        Set<String> nominated = HopByHop.nominated(received);
        Iterator<Map.Entry<CharSequence, CharSequence>> all = received.iteratorCharSequence();
        while (all.hasNext()) {
            Map.Entry<CharSequence, CharSequence> header = all.next();
            String name = header.getKey().toString();
            if (!notPassedOn.contains(name) && !nominated.contains(name)) {
                line(out, name, header.getValue());
            }
        }
    }

    private void authorization(ByteBuf out, @Nullable String clients, @Nullable String workerKey) {
        if (workerKey != null) {
            line(out, "authorization", BEARER + workerKey);
        } else if (clients != null && !holdsGatewayKey(clients)) {
            line(out, "authorization", clients);
        }
    }

    /** Reads the header as the check of keys does: any case of the scheme, spaces around the key. */
    private boolean holdsGatewayKey(String clients) {
        return gatewayKey != null
                && clients.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && clients.substring(BEARER.length()).trim().equals(gatewayKey);
    }

    private static void forwarding(ByteBuf out, RequestHead head) {
        HttpHeaders received = head.headers();
        line(out, "x-request-id", head.requestId());
        String chain = String.join(", ", received.getAll("x-forwarded-for"));
        line(out, "x-forwarded-for", chain.isEmpty() ? head.remoteAddress() : chain + ", " + head.remoteAddress());
        String host = received.get("x-forwarded-host", received.get("host"));
        if (host != null) {
            line(out, "x-forwarded-host", host);
        }
        line(out, "x-forwarded-proto", received.get("x-forwarded-proto", "http"));
    }

    private static boolean carriesBody(HttpMethod method) {
        return method.equals(HttpMethod.POST) || method.equals(HttpMethod.PUT) || method.equals(HttpMethod.PATCH);
    }

    private static String authority(URI url) {
        boolean usual = url.getPort() == (url.getScheme().equals("https") ? 443 : 80);
        return usual ? url.getHost() : url.getHost() + ":" + url.getPort();
    }

    private static void line(ByteBuf out, CharSequence name, CharSequence value) {
        ascii(out, name);
        out.writeByte(':').writeByte(' ');
        ascii(out, value);
        out.writeByte('\r').writeByte('\n');
    }

    private static void ascii(ByteBuf out, CharSequence text) {
        ByteBufUtil.writeAscii(out, text);
    }
}
