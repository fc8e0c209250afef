package io.kvgate.server.e2e.kit;

import io.kvgate.core.time.Ticker;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One request at a {@link ScriptedWorker} and the steps of its answer. Each write is one segment: Nagle is off.
 *
 * <p>Threading: the steps are for the script's thread; the questions may be asked by any thread.
 */
public final class Exchange {
    /** How the gateway let go of the connection. */
    public enum PeerClose {
        FIN,
        RST
    }

    private static final Duration LATCH_LIMIT = Duration.ofSeconds(40);

    private final RecordedRequest request;
    private final Socket socket;
    private final @Nullable BodyReader unreadBody;
    private final CountDownLatch peerClosed = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile @Nullable PeerClose peerClose;
    private volatile long peerClosedNanos;
    private volatile boolean closedHere;
    private final AtomicLong bytesWritten = new AtomicLong();

    Exchange(RecordedRequest request, Socket socket, @Nullable BodyReader unreadBody) {
        this.request = request;
        this.socket = socket;
        this.unreadBody = unreadBody;
    }

    /** What was asked; for a script that runs before the body, without the body. */
    public RecordedRequest request() {
        return request;
    }

    // --- steps ---

    public Exchange send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        bytesWritten.addAndGet(bytes.length);
        return this;
    }

    public Exchange send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sends a head; each line as {@code Name: value}. */
    public Exchange head(int status, String... lines) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " " + reason(status) + "\r\n");
        for (String line : lines) {
            head.append(line).append("\r\n");
        }
        return send(head.append("\r\n").toString());
    }

    /** The head of a chunked SSE answer. */
    public Exchange sseHead() throws IOException {
        return head(200, "Content-Type: text/event-stream", "Transfer-Encoding: chunked");
    }

    public Exchange chunk(byte[] data) throws IOException {
        byte[] size = (Integer.toHexString(data.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        byte[] all = new byte[size.length + data.length + 2];
        System.arraycopy(size, 0, all, 0, size.length);
        System.arraycopy(data, 0, all, size.length, data.length);
        all[all.length - 2] = '\r';
        all[all.length - 1] = '\n';
        return send(all);
    }

    public Exchange chunk(String data) throws IOException {
        return chunk(data.getBytes(StandardCharsets.UTF_8));
    }

    public Exchange lastChunk() throws IOException {
        return send("0\r\n\r\n");
    }

    /** A whole answer with its length. */
    public Exchange answer(int status, String contentType, String body, String... lines) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " " + reason(status) + "\r\n");
        head.append("Content-Type: ").append(contentType).append("\r\n");
        head.append("Content-Length: ").append(bytes.length).append("\r\n");
        for (String line : lines) {
            head.append(line).append("\r\n");
        }
        byte[] headBytes = head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
        byte[] all = new byte[headBytes.length + bytes.length];
        System.arraycopy(headBytes, 0, all, 0, headBytes.length);
        System.arraycopy(bytes, 0, all, headBytes.length, bytes.length);
        return send(all);
    }

    public Exchange json(int status, String body, String... lines) throws IOException {
        return answer(status, "application/json", body, lines);
    }

    /** Waits until the test opens the latch. */
    public Exchange await(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(LATCH_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("the latch was not opened within " + LATCH_LIMIT);
        }
        return this;
    }

    /** Keeps still for this time, or until the gateway lets go; false in the latter case. */
    public boolean pause(Duration time) throws InterruptedException {
        return !peerClosed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Does nothing until the gateway lets go or the worker is closed. */
    public void halt() throws InterruptedException {
        peerClosed.await();
    }

    public void closeFin() throws IOException {
        closedHere = true;
        socket.shutdownOutput();
        socket.close();
    }

    public void closeRst() throws IOException {
        closedHere = true;
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** The next bytes of the body, for a script that runs before it; null at its end. */
    public byte @Nullable [] readBody() throws IOException {
        if (unreadBody == null) {
            throw new IllegalStateException("the body was read before the script ran");
        }
        return unreadBody.next();
    }

    // --- questions ---

    /** True if the gateway let go of the connection within this time. */
    public boolean awaitPeerClosed(Duration limit) throws InterruptedException {
        return peerClosed.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    public boolean awaitDone(Duration limit) throws InterruptedException {
        return done.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** How the gateway let go; null if it has not. */
    public @Nullable PeerClose peerClose() {
        return peerClose;
    }

    /** {@link Ticker#system()} time at which the gateway let go. */
    public long peerClosedNanos() {
        return peerClosedNanos;
    }

    /** Bytes handed to the kernel so far, framing included. */
    public long bytesWritten() {
        return bytesWritten.get();
    }

    boolean closedHere() {
        return closedHere;
    }

    void peerLeft(PeerClose how) {
        if (peerClose == null) {
            peerClosedNanos = Ticker.system().nanos();
            peerClose = how;
        }
        peerClosed.countDown();
    }

    void finished() {
        done.countDown();
    }

    private static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 204 -> "No Content";
            case 304 -> "Not Modified";
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 404 -> "Not Found";
            case 422 -> "Unprocessable Entity";
            case 429 -> "Too Many Requests";
            case 500 -> "Internal Server Error";
            case 503 -> "Service Unavailable";
            default -> "Status";
        };
    }
}
