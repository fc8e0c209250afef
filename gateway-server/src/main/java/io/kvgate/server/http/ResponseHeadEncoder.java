package io.kvgate.server.http;

import io.kvgate.server.routing.Exchange.BodyEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Iterator;
import java.util.Map;

/** Writes a response head as bytes. */
final class ResponseHeadEncoder {
    private ResponseHeadEncoder() {}

    /**
     * The head, blank line included; the caller owns it. The headers hold no framing and no {@code Connection} of their own except
     * a {@code Content-Length}.
     */
    static ByteBuf encode(
            int status,
            String reason,
            HttpHeaders headers,
            BodyEnd end,
            ConnectionHeader connection,
            ByteBufAllocator alloc) {
        ByteBuf out = alloc.buffer(512);
        ascii(out, "HTTP/1.1 ");
        ascii(out, Integer.toString(status));
        out.writeByte(' ');
        ascii(out, reason.isEmpty() ? HttpResponseStatus.valueOf(status).reasonPhrase() : reason);
        ascii(out, "\r\n");
        Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence();
        while (all.hasNext()) {
            Map.Entry<CharSequence, CharSequence> header = all.next();
            ascii(out, header.getKey());
            ascii(out, ": ");
            ascii(out, header.getValue());
            ascii(out, "\r\n");
        }
        if (end == BodyEnd.CHUNKED) {
            ascii(out, "transfer-encoding: chunked\r\n");
        }
        switch (connection) {
            case CLOSE -> ascii(out, "connection: close\r\n");
            case KEEP_ALIVE -> ascii(out, "connection: keep-alive\r\n");
            case NONE -> {}
        }
        ascii(out, "\r\n");
        return out;
    }

    /** What the head says of its connection. */
    enum ConnectionHeader {
        CLOSE,
        /** Must be said to an HTTP/1.0 client. */
        KEEP_ALIVE,
        NONE
    }

    private static void ascii(ByteBuf out, CharSequence text) {
        ByteBufUtil.writeAscii(out, text);
    }
}
