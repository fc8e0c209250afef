package io.kvgate.server.e2e.kit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP client on a raw socket: the test chooses each byte and how the connection ends. A read that takes longer than the
 * limit fails the test instead of blocking it.
 *
 * <p>Threading: one thread at a time.
 */
public final class RawClient implements AutoCloseable {
    private static final Duration READ_LIMIT = Duration.ofSeconds(20);

    private final Socket socket;
    private final WireReader in;
    private @Nullable BodyReader body;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new WireReader(socket.getInputStream());
    }

    public static RawClient connect(int port) throws IOException {
        return connect(port, 0);
    }

    /** With a receive buffer of this size; 0 leaves the system's. */
    public static RawClient connect(int port, int receiveBufferBytes) throws IOException {
        Socket socket = new Socket();
        if (receiveBufferBytes > 0) {
            socket.setReceiveBufferSize(receiveBufferBytes);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) READ_LIMIT.toMillis());
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
        return new RawClient(socket);
    }

    public RawClient readLimit(Duration limit) throws IOException {
        socket.setSoTimeout((int) limit.toMillis());
        return this;
    }

    public int localPort() {
        return socket.getLocalPort();
    }

    // --- sending ---

    public RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    public RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The bytes of a request with a length; each line as {@code Name: value}. */
    public static byte[] request(String method, String target, String body, String... lines) {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        boolean host = false;
        boolean type = false;
        for (String line : lines) {
            head.append(line).append("\r\n");
            host |= line.regionMatches(true, 0, "host:", 0, 5);
            type |= line.regionMatches(true, 0, "content-type:", 0, 13);
        }
        if (!host) {
            head.append("Host: gateway.test\r\n");
        }
        if (bytes.length > 0) {
            head.append(type ? "" : "Content-Type: application/json\r\n");
            head.append("Content-Length: ").append(bytes.length).append("\r\n");
        }
        byte[] headBytes = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
        byte[] all = new byte[headBytes.length + bytes.length];
        System.arraycopy(headBytes, 0, all, 0, headBytes.length);
        System.arraycopy(bytes, 0, all, headBytes.length, bytes.length);
        return all;
    }

    public RawClient post(String target, String body, String... lines) throws IOException {
        return send(request("POST", target, body, lines));
    }

    public RawClient get(String target, String... lines) throws IOException {
        return send(request("GET", target, "", lines));
    }

    /** A chat request. */
    public RawClient chat(String body, String... lines) throws IOException {
        return post(Vocabulary.CHAT, body, lines);
    }

    // --- receiving ---

    /** Reads the next head that is not an interim one. */
    public ResponseHead readHead() throws IOException {
        return readHead(false);
    }

    private ResponseHead readHead(boolean answerOfHead) throws IOException {
        ResponseHead head = readAnyHead();
        while (head.status() < 200) {
            head = readAnyHead();
        }
        body = BodyReader.ofResponse(in, head.status(), answerOfHead, head.headers());
        pending.reset();
        return head;
    }

    /** Reads the next head, an interim one too. */
    public ResponseHead readAnyHead() throws IOException {
        String raw = in.readHead();
        if (raw == null) {
            throw new MalformedMessageException("the connection was closed before an answer");
        }
        if (!raw.startsWith("HTTP/1.1 ")) {
            throw new MalformedMessageException("status line: " + raw);
        }
        return new ResponseHead(Integer.parseInt(raw.substring(9, 12)), raw, HeaderList.parse(raw));
    }

    /** The body of the head that was read last. */
    public BodyReader body() {
        if (body == null) {
            throw new IllegalStateException("no head was read");
        }
        return body;
    }

    /** Reads a whole answer. */
    public ClientResponse readResponse() throws IOException {
        return whole(readHead(false));
    }

    /** Reads the answer of a HEAD request, which has no body. */
    public ClientResponse readResponseOfHead() throws IOException {
        return whole(readHead(true));
    }

    private ClientResponse whole(ResponseHead head) throws IOException {
        byte[] rest = body().rest();
        BodyEnd end = body().end();
        if (end == null) {
            throw new IllegalStateException("the body has no end");
        }
        return new ClientResponse(head.status(), head.raw(), head.headers(), rest, end);
    }

    /** The next SSE event with its empty line (LF line ends); what is left when the body ends; null after that. */
    public @Nullable String readEvent() throws IOException {
        while (true) {
            byte[] held = pending.toByteArray();
            for (int i = 1; i < held.length; i++) {
                if (held[i] == '\n' && held[i - 1] == '\n') {
                    pending.reset();
                    pending.write(held, i + 1, held.length - i - 1);
                    return new String(held, 0, i + 1, StandardCharsets.UTF_8);
                }
            }
            byte[] piece = body().next();
            if (piece == null) {
                pending.reset();
                return held.length == 0 ? null : new String(held, StandardCharsets.UTF_8);
            }
            pending.write(piece, 0, piece.length);
        }
    }

    /** True if the peer closes, in order or by a reset, within the limit and without a further byte. */
    public boolean isClosedWithin(Duration limit) throws IOException {
        int before = socket.getSoTimeout();
        try {
            socket.setSoTimeout((int) limit.toMillis());
            return in.peek() < 0;
        } catch (SocketTimeoutException e) {
            socket.setSoTimeout(before);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    // --- ending ---

    /** Half-closes: the peer sees a FIN, answers can still be read. */
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    public void closeRst() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
