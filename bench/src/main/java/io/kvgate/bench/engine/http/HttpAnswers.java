package io.kvgate.bench.engine.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** Heads and whole responses with the headers an engine's web server sets. */
final class HttpAnswers {
    private static final String JSON = "application/json";

    private HttpAnswers() {}

    static FullHttpResponse json(int status, JsonNode body) {
        return whole(status, JSON, body.toString());
    }

    static FullHttpResponse text(int status, String text) {
        return whole(status, "text/plain; charset=utf-8", text);
    }

    /** A whole response; the caller passes it on, which releases it. */
    static FullHttpResponse whole(int status, String contentType, String body) {
        ByteBuf content = Unpooled.copiedBuffer(body, StandardCharsets.UTF_8);
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(status), content);
        common(response.headers(), contentType);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes());
        return response;
    }

    /** The head of a document whose body follows. */
    static HttpResponse documentHead(int bytes) {
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        common(head.headers(), JSON);
        head.headers().set(HttpHeaderNames.CONTENT_LENGTH, bytes);
        return head;
    }

    /** The head of an event stream; a client of HTTP/1.0 reads it until the connection closes. */
    static HttpResponse streamHead(boolean chunked) {
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        common(head.headers(), "text/event-stream; charset=utf-8");
        if (chunked) {
            head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        }
        return head;
    }

    private static void common(HttpHeaders headers, String contentType) {
        headers.set(HttpHeaderNames.SERVER, "uvicorn");
        headers.set(HttpHeaderNames.CONTENT_TYPE, contentType);
    }
}
