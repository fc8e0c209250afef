package io.kvgate.server.e2e.kit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;

/**
 * One connection at a {@link ScriptedWorker}. While a script runs on a thread of its own, this one reads on, so that a peer
 * that leaves is noticed at once.
 *
 * <p>Threading: {@link #run} on one thread; {@link #reset} from any.
 */
final class WorkerConnection implements Runnable {
    private final ScriptedWorker worker;
    private final Socket socket;
    private final int number;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean resetHere;

    WorkerConnection(ScriptedWorker worker, Socket socket, int number) {
        this.worker = worker;
        this.socket = socket;
        this.number = number;
    }

    @Override
    public void run() {
        try (Socket closing = socket) {
            closing.setTcpNoDelay(true);
            WireReader in = new WireReader(closing.getInputStream());
            boolean more = true;
            while (more && in.peek() >= 0) {
                more = serve(in);
            }
        } catch (SocketException e) {
            // The gateway reset a kept connection, or the test closed the worker.
        } catch (IOException e) {
            worker.failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            worker.connectionClosed(this);
            closed.countDown();
        }
    }

    private boolean serve(WireReader in) throws IOException, InterruptedException {
        String head = in.readHead();
        if (head == null) {
            return false;
        }
        HeaderList headers = HeaderList.parse(head);
        BodyReader body = BodyReader.ofRequest(in, headers);
        String[] line = head.substring(0, head.indexOf("\r\n")).split(" ", 3);
        RecordedRequest early =
                new RecordedRequest(head, line[0], line[1], headers, new byte[0], 0, new byte[0], null, number);
        Script script = worker.scriptFor(early);
        if (script.beforeBody()) {
            Exchange exchange = new Exchange(early, socket, body);
            worker.began(exchange);
            worker.runScript(script, exchange);
            if (exchange.closedHere()) {
                return false;
            }
            byte[] piece = body.next();
            while (piece != null) {
                piece = body.next();
            }
            return body.end() == BodyEnd.COMPLETE;
        }
        RecordedRequest request = readWhole(early, body);
        if (request.bodyEnd() != BodyEnd.COMPLETE) {
            worker.truncated(request);
            return false;
        }
        Exchange exchange = new Exchange(request, socket, null);
        worker.began(exchange);
        try {
            worker.scripts().execute(() -> worker.runScript(script, exchange));
        } catch (RejectedExecutionException e) {
            return false; // the worker is being closed
        }
        watch(in, exchange);
        if (resetHere) {
            exchange.peerLeft(Exchange.PeerClose.RST);
            return false;
        }
        exchange.awaitDone(ScriptedWorker.FOREVER);
        return !exchange.closedHere() && exchange.peerClose() == null && !request.wantsClose();
    }

    /** Blocks until the next request begins or the peer leaves. */
    private static void watch(WireReader in, Exchange exchange) {
        try {
            if (in.peek() < 0) {
                exchange.peerLeft(Exchange.PeerClose.FIN);
            }
        } catch (IOException e) {
            if (!exchange.closedHere()) {
                exchange.peerLeft(Exchange.PeerClose.RST);
            }
        }
    }

    private RecordedRequest readWhole(RecordedRequest early, BodyReader body) throws IOException {
        MessageDigest digest = sha256();
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        long total = 0;
        for (byte[] piece = body.next(); piece != null; piece = body.next()) {
            digest.update(piece);
            kept.write(piece, 0, Math.min(piece.length, Math.max(0, worker.keptBodyBytes() - kept.size())));
            total += piece.length;
        }
        return new RecordedRequest(
                early.head(),
                early.method(),
                early.target(),
                early.headers(),
                kept.toByteArray(),
                total,
                digest.digest(),
                body.end(),
                number);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Opens when the connection is closed and its thread is done with it. */
    CountDownLatch closed() {
        return closed;
    }

    void reset() {
        resetHere = true;
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (SocketException e) {
            // It has just ended by itself.
        } catch (IOException e) {
            worker.failed(e);
        }
    }
}
