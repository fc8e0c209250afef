package io.kvgate.server.upstream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what a call tells, and fails the test if it is told in a wrong order.
 *
 * <p>Threading: told on the event loop, read by the test's thread.
 */
final class RecordingListener implements UpstreamListener {
    private final CompletableFuture<UpstreamHead> head = new CompletableFuture<>();
    private final CompletableFuture<UpstreamFailure> failure = new CompletableFuture<>();
    private final CompletableFuture<String> end = new CompletableFuture<>();
    private final ByteArrayOutputStream raw = new ByteArrayOutputStream();
    private final ByteArrayOutputStream payload = new ByteArrayOutputStream();
    private final List<String> faults = new ArrayList<>();
    private volatile @Nullable Consumer<String> watcher;
    private boolean over;

    /** Told of each event by name, on the event loop. */
    void watch(Consumer<String> told) {
        watcher = told;
    }

    @Override
    public synchronized void onHead(UpstreamHead told) {
        check(!head.isDone(), "second head");
        event("head");
        head.complete(told);
    }

    @Override
    public synchronized void onBody(ByteBuf bytes) {
        check(head.isDone(), "body before head");
        byte[] copy = new byte[bytes.readableBytes()];
        bytes.readBytes(copy);
        bytes.release();
        check(copy.length > 0, "empty body bytes");
        raw.writeBytes(copy);
        event("body");
    }

    @Override
    public synchronized void onPayload(ByteBuf buf, int from, int length) {
        byte[] copy = new byte[length];
        buf.getBytes(from, copy);
        payload.writeBytes(copy);
    }

    @Override
    public synchronized void onReadComplete() {
        check(head.isDone(), "read complete before head");
        event("readComplete");
    }

    @Override
    public synchronized void onEnd() {
        check(head.isDone(), "end before head");
        event("end");
        over = true;
        end.complete("end");
    }

    @Override
    public synchronized void onFailure(UpstreamFailure told) {
        event("failure");
        over = true;
        failure.complete(told);
    }

    private void event(String name) {
        check(!over, name + " after the end");
        Consumer<String> told = watcher;
        if (told != null) {
            told.accept(name);
        }
    }

    private void check(boolean ok, String fault) {
        if (!ok) {
            faults.add(fault);
        }
    }

    UpstreamHead awaitHead() throws Exception {
        return head.get(10, SECONDS);
    }

    void awaitEnd() throws Exception {
        end.get(10, SECONDS);
    }

    UpstreamFailure awaitFailure() throws Exception {
        return failure.get(10, SECONDS);
    }

    boolean toldHead() {
        return head.isDone();
    }

    boolean toldEnd() {
        return end.isDone();
    }

    boolean toldFailure() {
        return failure.isDone();
    }

    synchronized String raw() {
        return raw.toString(ISO_8859_1);
    }

    synchronized int rawBytes() {
        return raw.size();
    }

    synchronized String payload() {
        return payload.toString(ISO_8859_1);
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }
}
