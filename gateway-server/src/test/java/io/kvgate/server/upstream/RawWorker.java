package io.kvgate.server.upstream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * A worker whose part the test plays byte by byte, on blocking sockets of loopback that give up after ten seconds.
 *
 * <p>Threading: the test's thread only.
 */
public final class RawWorker implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 10_000;

    private final ServerSocket server;
    private final List<Peer> peers = new ArrayList<>();

    public RawWorker() throws IOException {
        server = new ServerSocket();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.setSoTimeout(TIMEOUT_MILLIS);
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + server.getLocalPort());
    }

    /** The next connection that the gateway makes. */
    public Peer accept() throws IOException {
        Peer peer = new Peer(server.accept());
        peers.add(peer);
        return peer;
    }

    /** How many connections were accepted. */
    public int accepted() {
        return peers.size();
    }

    @Override
    public void close() throws IOException {
        for (Peer peer : peers) {
            peer.close();
        }
        server.close();
    }

    /** One connection, seen from the worker. */
    public static final class Peer {
        private final Socket socket;
        private final InputStream in;

        Peer(Socket socket) throws IOException {
            this.socket = socket;
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
            in = socket.getInputStream();
        }

        /** A request's head, blank line included. */
        public String readHead() throws IOException {
            StringBuilder head = new StringBuilder();
            while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
                int next = in.read();
                if (next < 0) {
                    throw new EOFException("closed after: " + head);
                }
                head.append((char) next);
            }
            return head.toString();
        }

        public String read(int bytes) throws IOException {
            return new String(in.readNBytes(bytes), ISO_8859_1);
        }

        public Peer write(String bytes) throws IOException {
            return write(bytes.getBytes(ISO_8859_1));
        }

        public Peer write(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            return this;
        }

        /** True once the gateway has closed or reset the connection, false if it sends something instead. */
        public boolean seesEnd() throws IOException {
            try {
                return in.read() < 0;
            } catch (SocketException e) {
                return true;
            }
        }

        /** Reads whatever comes, until the gateway closes or resets the connection. */
        public void readToEnd() throws IOException {
            try {
                in.transferTo(java.io.OutputStream.nullOutputStream());
            } catch (SocketException e) {
                // A reset is an end too.
                return;
            }
        }

        public void close() throws IOException {
            socket.close();
        }

        public void reset() throws IOException {
            socket.setSoLinger(true, 0);
            socket.close();
        }
    }
}
