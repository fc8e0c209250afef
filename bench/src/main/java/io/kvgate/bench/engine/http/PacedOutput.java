package io.kvgate.bench.engine.http;

import io.kvgate.bench.engine.fault.Fault;
import io.kvgate.bench.engine.fault.FaultPlan;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes one successful answer part by part, with the delays and the cuts of its faults. Each event leaves as a chunk
 * of its own.
 *
 * <p>Threading: confined to the event loop.
 */
final class PacedOutput {
    /** Time for written bytes to leave before a reset would throw them away. */
    private static final long CUT_DELAY_MILLIS = 5;

    private enum Kind {
        HEAD,
        EVENT,
        END,
        DOCUMENT
    }

    private record Part(Kind kind, String text) {}

    /** Hears how the answer ended; exactly one call. */
    interface EndListener {
        void ended();

        /** The bytes before the cut are out: now the connection is to be closed. */
        void cut(boolean reset);
    }

    private final ChannelHandlerContext ctx;
    private final EndListener listener;
    private final boolean keepAlive;
    private final boolean chunked;
    private final boolean resetAtEnd;
    private final boolean resets;
    private final int cutAfter;
    private final long chunkDelayNanos;
    private final Deque<Part> queue = new ArrayDeque<>();
    private boolean waiting;
    private boolean over;
    private int events;

    PacedOutput(ChannelHandlerContext ctx, FaultPlan faults, boolean keepAlive, boolean chunked, EndListener listener) {
        this.ctx = ctx;
        this.keepAlive = keepAlive;
        this.chunked = chunked;
        this.listener = listener;
        Fault.ResetMidStream reset = faults.find(Fault.ResetMidStream.class);
        Fault.CloseWithoutTerminator close = faults.find(Fault.CloseWithoutTerminator.class);
        cutAfter = reset != null ? reset.afterChunks() : close != null ? close.afterChunks() : -1;
        resetAtEnd = faults.has(Fault.ResetAfterDone.class);
        resets = reset != null || close == null;
        Fault.SlowChunks slowChunks = faults.find(Fault.SlowChunks.class);
        chunkDelayNanos = slowChunks == null ? 0 : slowChunks.delay().toNanos();
        Fault.SlowHead slowHead = faults.find(Fault.SlowHead.class);
        pause(slowHead == null ? Duration.ZERO : slowHead.delay());
    }

    /** Opens an event stream. */
    void head() {
        add(new Part(Kind.HEAD, ""));
    }

    void event(String text) {
        add(new Part(Kind.EVENT, text));
    }

    /** Ends an event stream. */
    void end() {
        add(new Part(Kind.END, ""));
    }

    /** Writes the whole answer at once. */
    void document(String json) {
        add(new Part(Kind.DOCUMENT, json));
    }

    /** Drops what is not written; the listener is not called any more. */
    void abandon() {
        over = true;
        queue.clear();
    }

    private void add(Part part) {
        if (!over) {
            queue.addLast(part);
            drain();
        }
    }

    private void drain() {
        while (!waiting && !over) {
            Part part = queue.pollFirst();
            if (part == null) {
                ctx.flush();
                return;
            }
            writePart(part);
        }
        ctx.flush();
    }

    private void writePart(Part part) {
        switch (part.kind()) {
            case HEAD -> {
                writeHead(HttpAnswers.streamHead(chunked));
                afterPart();
            }
            case EVENT -> {
                write(new DefaultHttpContent(utf8(part.text())));
                events++;
                afterPart();
            }
            case END -> {
                if (resetAtEnd || cutAfter >= 0) {
                    cut();
                } else {
                    finish(null);
                }
            }
            case DOCUMENT -> document(utf8(part.text()));
        }
    }

    private void document(ByteBuf body) {
        writeHead(HttpAnswers.documentHead(body.readableBytes()));
        if (cutAfter >= 0) {
            write(new DefaultHttpContent(body.readSlice(body.readableBytes() / 2)));
            cut();
        } else if (resetAtEnd) {
            write(new DefaultHttpContent(body));
            cut();
        } else {
            finish(body);
        }
    }

    private void finish(@Nullable ByteBuf body) {
        if (body != null) {
            write(new DefaultHttpContent(body));
        }
        over = true;
        write(LastHttpContent.EMPTY_LAST_CONTENT);
        // Before the flush: a client that has read the end finds the counters settled.
        listener.ended();
        ctx.flush();
    }

    private void afterPart() {
        if (events == cutAfter) {
            cut();
        } else if (chunkDelayNanos > 0) {
            ctx.flush();
            pause(Duration.ofNanos(chunkDelayNanos));
        }
    }

    private void pause(Duration delay) {
        if (!delay.isZero()) {
            waiting = true;
            Future<?> unused = ctx.executor().schedule(this::resume, delay.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void resume() {
        waiting = false;
        drain();
    }

    private void cut() {
        over = true;
        queue.clear();
        ctx.flush();
        Future<?> unused = ctx.executor().schedule(() -> listener.cut(resets), CUT_DELAY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void writeHead(HttpResponse head) {
        if (!keepAlive) {
            head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        write(head);
    }

    private void write(Object message) {
        // A write that fails means that the client left, which the connection sees by itself.
        Future<?> unused = ctx.write(message);
    }

    private static ByteBuf utf8(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }
}
