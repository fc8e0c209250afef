package io.kvgate.server.upstream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A name server on loopback that answers every question for an IPv4 address with the same records, and others with none.
 *
 * <p>Threading: any thread; answers on one of its own.
 */
final class NameServer implements AutoCloseable {
    private static final int TYPE_A = 1;
    private static final int HEADER_BYTES = 12;

    private final DatagramSocket socket;
    private final int ttlSeconds;
    private volatile List<String> addresses;

    NameServer(int ttlSeconds, String... addresses) throws IOException {
        socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        this.ttlSeconds = ttlSeconds;
        this.addresses = List.of(addresses);
        Thread thread = new Thread(this::serve, "test-name-server");
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    /** What it answers from now on. */
    void answer(String... records) {
        addresses = List.of(records);
    }

    private void serve() {
        byte[] buffer = new byte[512];
        while (!socket.isClosed()) {
            DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
            try {
                socket.receive(packet);
                byte[] reply = reply(ByteBuffer.wrap(buffer, 0, packet.getLength()));
                socket.send(new DatagramPacket(reply, reply.length, packet.getSocketAddress()));
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    /** RFC 1035, section 4: header, the question again, one A record per address. */
    private byte[] reply(ByteBuffer query) throws IOException {
        int end = HEADER_BYTES;
        while (query.get(end) != 0) {
            end += query.get(end) + 1;
        }
        int type = query.getShort(end + 1);
        int questionEnd = end + 5;
        List<String> records = type == TYPE_A ? addresses : List.of();
        ByteBuffer reply = ByteBuffer.allocate(512);
        reply.putShort(query.getShort(0));
        reply.putShort((short) 0x8180);
        reply.putShort((short) 1)
                .putShort((short) records.size())
                .putShort((short) 0)
                .putShort((short) 0);
        reply.put(query.slice(HEADER_BYTES, questionEnd - HEADER_BYTES));
        for (String record : records) {
            reply.putShort((short) 0xC00C).putShort((short) TYPE_A).putShort((short) 1);
            reply.putInt(ttlSeconds).putShort((short) 4);
            reply.put(InetAddress.getByName(record).getAddress());
        }
        byte[] bytes = new byte[reply.position()];
        reply.flip().get(bytes);
        return bytes;
    }

    @Override
    public void close() {
        socket.close();
    }
}
