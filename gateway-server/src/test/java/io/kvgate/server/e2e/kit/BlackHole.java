package io.kvgate.server.e2e.kit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** A loopback port on which connections are neither accepted nor refused: its queue of connections is full. */
public final class BlackHole implements AutoCloseable {
    private static final int MAX_FILL = 8;
    private final ServerSocket listener;
    private final List<Socket> fill = new ArrayList<>();

    private BlackHole(ServerSocket listener) {
        this.listener = listener;
    }

    public static BlackHole open() throws IOException {
        BlackHole hole = new BlackHole(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        for (int i = 0; i < MAX_FILL; i++) {
            Socket socket = new Socket();
            hole.fill.add(socket);
            try {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), hole.port()), 300);
            } catch (SocketTimeoutException e) {
                return hole;
            }
        }
        throw new IOException("the kernel accepts every connection");
    }

    public int port() {
        return listener.getLocalPort();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + port());
    }

    @Override
    public void close() throws IOException {
        for (Socket socket : fill) {
            socket.close();
        }
        listener.close();
    }
}
