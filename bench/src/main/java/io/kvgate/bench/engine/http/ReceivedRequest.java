package io.kvgate.bench.engine.http;

import io.netty.handler.codec.http.FullHttpRequest;
import java.util.List;
import java.util.Map;

/** A request as it arrived, kept for tests: method, target, header lines in order and the body's bytes. */
public final class ReceivedRequest {
    private final String method;
    private final String target;
    private final List<Map.Entry<String, String>> headers;
    private final byte[] body;

    ReceivedRequest(FullHttpRequest request, byte[] body) {
        this.method = request.method().name();
        this.target = request.uri();
        this.headers = List.copyOf(request.headers().entries());
        this.body = body;
    }

    public String method() {
        return method;
    }

    /** Path and query. */
    public String target() {
        return target;
    }

    /** Header lines in the order of their arrival. */
    public List<Map.Entry<String, String>> headers() {
        return headers;
    }

    /** Values of a header, whatever its case. */
    public List<String> header(String name) {
        return headers.stream()
                .filter(line -> line.getKey().equalsIgnoreCase(name))
                .map(Map.Entry::getValue)
                .toList();
    }

    /** A copy of the body. */
    public byte[] body() {
        return body.clone();
    }
}
