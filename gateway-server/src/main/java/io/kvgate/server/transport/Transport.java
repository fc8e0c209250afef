package io.kvgate.server.transport;

import io.kvgate.server.config.ListenConfig.TransportChoice;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of Netty's transports with the channel types that belong to it.
 *
 * @param name for the log
 * @param ioHandler what an event loop polls with
 * @param server channel type of a listener
 * @param client channel type of a connection to a worker
 * @param datagram channel type of the name resolver
 */
public record Transport(
        String name,
        IoHandlerFactory ioHandler,
        Class<? extends ServerChannel> server,
        Class<? extends Channel> client,
        Class<? extends DatagramChannel> datagram) {
    private static final Logger log = LoggerFactory.getLogger(Transport.class);

    /**
     * The chosen transport, or the next best with a warning that says why.
     *
     * <p>AUTO takes epoll before io_uring: containers often forbid the latter, and it gains nothing for paced streams.
     */
    public static Transport choose(TransportChoice choice) {
        return switch (choice) {
            case NIO -> nio();
            case EPOLL -> epollOrNio();
            case IO_URING -> {
                if (IoUring.isAvailable()) {
                    yield ioUring();
                }
                log.warn("io_uring can't be used, falling back: {}", String.valueOf(IoUring.unavailabilityCause()));
                yield epollOrNio();
            }
            case AUTO -> Epoll.isAvailable() ? epoll() : nio();
        };
    }

    private static Transport epollOrNio() {
        if (Epoll.isAvailable()) {
            return epoll();
        }
        log.warn("epoll can't be used, falling back to NIO: {}", String.valueOf(Epoll.unavailabilityCause()));
        return nio();
    }

    private static Transport ioUring() {
        return new Transport(
                "io_uring",
                IoUringIoHandler.newFactory(),
                IoUringServerSocketChannel.class,
                IoUringSocketChannel.class,
                IoUringDatagramChannel.class);
    }

    private static Transport epoll() {
        return new Transport(
                "epoll",
                EpollIoHandler.newFactory(),
                EpollServerSocketChannel.class,
                EpollSocketChannel.class,
                EpollDatagramChannel.class);
    }

    private static Transport nio() {
        return new Transport(
                "nio",
                NioIoHandler.newFactory(),
                NioServerSocketChannel.class,
                NioSocketChannel.class,
                NioDatagramChannel.class);
    }
}
