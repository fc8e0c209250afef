package io.kvgate.server.e2e.kit;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Ready-made scripts. */
public final class Scripts {
    private Scripts() {}

    /** A whole JSON answer with its length. */
    public static Script json(int status, String body, String... headers) {
        return exchange -> exchange.json(status, body, headers);
    }

    /** The usual completion. */
    public static Script completion() {
        return json(200, Vocabulary.COMPLETION);
    }

    /** A chunked SSE answer, one chunk and one write per event. */
    public static Script sse(List<String> events) {
        return exchange -> {
            exchange.sseHead();
            for (String event : events) {
                exchange.chunk(event);
            }
            exchange.lastChunk();
        };
    }

    public static Script sse3() {
        return sse(Vocabulary.SSE_3);
    }

    /** A stream for a request that wants one, else the usual completion. */
    public static Script chat() {
        return exchange ->
                (exchange.request().bodyText().contains("\"stream\":true") ? sse3() : completion()).run(exchange);
    }

    /** An SSE answer with a length instead of chunks. */
    public static Script sseWithLength(List<String> events) {
        return exchange -> exchange.answer(200, "text/event-stream", String.join("", events));
    }

    /** An SSE answer that ends when the worker closes. */
    public static Script sseUntilClose(List<String> events) {
        return exchange -> {
            exchange.head(200, "Content-Type: text/event-stream", "Connection: close");
            for (String event : events) {
                exchange.send(event);
            }
            exchange.closeFin();
        };
    }

    /** Resets the connection when the request is read. */
    public static Script resetBeforeHead() {
        return Exchange::closeRst;
    }

    /** Sends a head, then resets. */
    public static Script resetAfterHead() {
        return exchange -> {
            exchange.sseHead();
            exchange.closeRst();
        };
    }

    /** Sends so many deltas; when the latch opens, resets. */
    public static Script resetMidStream(int deltas, CountDownLatch latch) {
        return exchange -> {
            exchange.sseHead();
            for (int i = 0; i < deltas; i++) {
                exchange.chunk(Vocabulary.delta("d" + i));
            }
            exchange.await(latch).closeRst();
        };
    }

    /** Never answers. */
    public static Script silent() {
        return Exchange::halt;
    }

    /** Answers when the latch opens. */
    public static Script slowHead(CountDownLatch latch, Script then) {
        return exchange -> then.run(exchange.await(latch));
    }

    /** Sends the head and the first events, then the rest when the latch opens. */
    public static Script heldStream(CountDownLatch latch) {
        return exchange -> {
            exchange.sseHead().chunk(Vocabulary.SSE_3.get(0));
            exchange.await(latch);
            exchange.chunk(Vocabulary.SSE_3.get(1)).chunk(Vocabulary.SSE_3.get(2));
            exchange.chunk(Vocabulary.DONE).lastChunk();
        };
    }

    /** Runs as soon as the head is there, the body unread. */
    public static Script early(Script script) {
        return new Script() {
            @Override
            public void run(Exchange exchange) throws Exception {
                script.run(exchange);
            }

            @Override
            public boolean beforeBody() {
                return true;
            }
        };
    }

    /** The scripts in turn, the last one for ever. */
    public static Script inTurn(Script... scripts) {
        java.util.concurrent.atomic.AtomicInteger turn = new java.util.concurrent.atomic.AtomicInteger();
        return exchange -> scripts[Math.min(turn.getAndIncrement(), scripts.length - 1)].run(exchange);
    }

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
