package io.kvgate.server.config;

import java.time.Duration;

/**
 * The main listener.
 *
 * @param host address to bind
 * @param port 0 to 65535; 0 takes a free one
 * @param maxPayloadBytes largest request body
 * @param maxHeaderBytes largest header block of a request or of a worker's response
 * @param maxRequestLineBytes largest request line
 * @param idleTimeout how long a client connection may be idle between requests, and a request body or head may stall
 * @param maxConnections client connections at once; 0: no limit
 * @param transport which Netty transport
 * @param eventLoops threads that serve; 0: one per processor
 */
public record ListenConfig(
        String host,
        int port,
        long maxPayloadBytes,
        int maxHeaderBytes,
        int maxRequestLineBytes,
        Duration idleTimeout,
        int maxConnections,
        TransportChoice transport,
        int eventLoops) {
    /** Which Netty transport to use. */
    public enum TransportChoice {
        /** io_uring or epoll, whichever loads and was measured to be better; else NIO. */
        AUTO,
        IO_URING,
        EPOLL,
        NIO
    }

    public static final ListenConfig DEFAULT = new ListenConfig(
            "0.0.0.0", 30_000, 536_870_912L, 65_536, 8_192, Duration.ofSeconds(75), 0, TransportChoice.AUTO, 0);

    public ListenConfig {
        Check.notBlank("host", host);
        Check.within("port", port, 0, 65_535);
        Check.atLeast("maxPayloadBytes", maxPayloadBytes, 1);
        Check.atLeast("maxHeaderBytes", maxHeaderBytes, 1);
        Check.atLeast("maxRequestLineBytes", maxRequestLineBytes, 1);
        Check.positive("idleTimeout", idleTimeout);
        Check.atLeast("maxConnections", maxConnections, 0);
        Check.atLeast("eventLoops", eventLoops, 0);
    }

    /** The listener's address for messages, given the port that was really taken. */
    public String url(int boundPort) {
        return "http://" + HostName.inUrl(host) + ":" + boundPort;
    }
}
