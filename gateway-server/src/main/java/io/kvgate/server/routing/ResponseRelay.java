package io.kvgate.server.routing;

import io.kvgate.core.error.GatewayException;
import io.kvgate.server.upstream.BodyFraming;
import io.kvgate.server.upstream.UpstreamHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Passes one worker's response on to the client, byte for byte where both sides frame bodies alike.
 *
 * <p>A chunked body goes to an HTTP/1.1 client with the worker's own chunk framing. Only an HTTP/1.0 client gets the payload taken
 * out of its chunks, and only a body that ends with its connection is put into chunks.
 *
 * <p>Threading: confined to the request's event loop.
 */
final class ResponseRelay {
    private enum Mode {
        /** As it comes. */
        RAW,
        /** Each read becomes a chunk. */
        WRAP,
        /** Payload only. */
        STRIP
    }

    /** More than this is not filled up to complete a chunk before an error event. */
    private static final long MAX_FILL_BYTES = 65_536;

    private static final int NO_CONTENT = 204;

    private final Exchange.Client client;
    private final UpstreamHead head;
    private final ByteBufAllocator alloc;
    private final Mode mode;
    private final StreamObserver observer = new StreamObserver();
    private final boolean eventStream;

    ResponseRelay(Exchange.Client client, UpstreamHead head, boolean http10Client, ByteBufAllocator alloc) {
        this.client = client;
        this.head = head;
        this.alloc = alloc;
        BodyFraming.Kind kind = head.framing().kind();
        if (kind == BodyFraming.Kind.CHUNKED && http10Client) {
            mode = Mode.STRIP;
        } else if (kind == BodyFraming.Kind.UNTIL_CLOSE && !http10Client) {
            mode = Mode.WRAP;
        } else {
            mode = Mode.RAW;
        }
        String type = head.headers().get(HttpHeaderNames.CONTENT_TYPE, "");
        eventStream = type.toLowerCase(Locale.ROOT).startsWith("text/event-stream");
    }

    boolean eventStream() {
        return eventStream;
    }

    StreamObserver observer() {
        return observer;
    }

    /** Sends the head on: the worker's status and end-to-end headers, and what the gateway adds. */
    void begin(String workerId, @Nullable String decision) {
        HttpHeaders headers = head.headers();
        HopByHop.strip(headers);
        if (head.status() == NO_CONTENT) {
            // Not allowed there; a client that believes it waits for the bytes.
            headers.remove(HttpHeaderNames.CONTENT_LENGTH);
        }
        headers.set("x-kvgate-worker", workerId);
        if (decision != null) {
            headers.set("x-kvgate-decision", decision);
        }
        if (eventStream) {
            if (!headers.contains("x-accel-buffering")) {
                headers.set("x-accel-buffering", "no");
            }
            if (!headers.contains(HttpHeaderNames.CACHE_CONTROL)) {
                headers.set(HttpHeaderNames.CACHE_CONTROL, "no-cache");
            }
        }
        client.begin(head.status(), head.reason(), headers, bodyEnd());
    }

    private Exchange.BodyEnd bodyEnd() {
        return switch (head.framing().kind()) {
            case NONE, LENGTH -> Exchange.BodyEnd.KNOWN;
            case CHUNKED -> mode == Mode.STRIP ? Exchange.BodyEnd.CLOSE : Exchange.BodyEnd.CHUNKED;
            case UNTIL_CLOSE -> mode == Mode.WRAP ? Exchange.BodyEnd.CHUNKED : Exchange.BodyEnd.CLOSE;
        };
    }

    void payload(ByteBuf buf, int from, int length) {
        observer.payload(buf, from, length);
        if (mode == Mode.STRIP) {
            client.write(buf.retainedSlice(from, length));
        }
    }

    /** Takes the bytes over. */
    void body(ByteBuf raw) {
        switch (mode) {
            case RAW -> client.write(raw);
            case STRIP -> raw.release();
            case WRAP -> {
                String size = Integer.toHexString(raw.readableBytes());
                client.write(ascii(size + "\r\n"));
                client.write(raw);
                client.write(ascii("\r\n"));
            }
        }
    }

    void end() {
        if (mode == Mode.WRAP) {
            client.write(ascii("0\r\n\r\n"));
        }
        client.end();
    }

    /**
     * Tells a client whose event stream has begun that it will not be completed: one event with the error, in a chunk of its own,
     * and no end of the body. An unfinished chunk or event is closed with line ends first.
     */
    void breakOff(GatewayException error) {
        client.breakOff(error, eventStream ? lastWords(error) : Unpooled.EMPTY_BUFFER);
    }

    private ByteBuf lastWords(GatewayException error) {
        BodyFraming framing = head.framing();
        String separator = observer.betweenEvents() ? "" : "\n\n";
        byte[] event = ErrorJson.encodeEvent(error);
        ByteBuf words = alloc.buffer(event.length + 64);
        if (mode == Mode.RAW && framing.kind() == BodyFraming.Kind.CHUNKED) {
            if (framing.insideChunkData() && framing.missingBytes() <= MAX_FILL_BYTES) {
                for (long i = 0; i < framing.missingBytes(); i++) {
                    words.writeByte('\n');
                }
                words.writeCharSequence("\r\n", StandardCharsets.US_ASCII);
            } else if (!framing.betweenChunks()) {
                return words;
            }
            chunk(words, separator, event);
        } else if (mode == Mode.WRAP) {
            chunk(words, separator, event);
        } else if (bodyEnd() == Exchange.BodyEnd.CLOSE) {
            words.writeCharSequence(separator, StandardCharsets.US_ASCII);
            words.writeBytes(event);
        }
        return words;
    }

    private static void chunk(ByteBuf words, String separator, byte[] event) {
        String size = Integer.toHexString(separator.length() + event.length);
        words.writeCharSequence(size + "\r\n" + separator, StandardCharsets.US_ASCII);
        words.writeBytes(event);
        words.writeCharSequence("\r\n", StandardCharsets.US_ASCII);
    }

    private ByteBuf ascii(String text) {
        ByteBuf buf = alloc.buffer(text.length());
        buf.writeCharSequence(text, StandardCharsets.US_ASCII);
        return buf;
    }
}
