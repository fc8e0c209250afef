package io.kvgate.server.config;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The spelling of addresses to bind: names, IPv4, IPv6 with or without brackets. Nothing is resolved here. */
final class HostName {
    private static final Pattern NAME = Pattern.compile(
            "(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}"
                    + "[A-Za-z0-9_])?)*\\.?");
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");
    private static final Pattern IPV4 = Pattern.compile("((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\\.|$)){4}");

    private HostName() {}

    /** The host without brackets, or null if the text is none. */
    static @Nullable String parse(String text) {
        if (text.indexOf(':') >= 0) {
            return ipv6(text);
        }
        boolean valid = DIGITS_AND_DOTS.matcher(text).matches()
                ? IPV4.matcher(text).matches() && !text.endsWith(".")
                : NAME.matcher(text).matches();
        return valid ? text : null;
    }

    /** The host as it stands in a URL. */
    static String inUrl(String host) {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    /** Whether only this machine can reach a listener bound to the host. */
    static boolean isLoopback(String host) {
        return host.equalsIgnoreCase("localhost")
                || (IPV4.matcher(host).matches() && host.startsWith("127."))
                || (host.indexOf(':') >= 0 && isLoopbackIpv6(host));
    }

    /** Whether a listener bound to the host takes connections on every address. */
    static boolean isWildcard(String host) {
        return host.equals("0.0.0.0") || (host.indexOf(':') >= 0 && isWildcardIpv6(host));
    }

    static IOException bindFailure(String flags, String host, int port, Throwable cause) {
        String reason = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return new IOException(
                flags + ": " + inUrl(host) + ":" + port + " (expected: an address that can be bound): " + reason,
                cause);
    }

    private static @Nullable String ipv6(String text) {
        boolean bracketed = text.startsWith("[") && text.endsWith("]");
        String bare = bracketed ? text.substring(1, text.length() - 1) : text;
        return address(bare) == null ? null : bare;
    }

    private static boolean isLoopbackIpv6(String bare) {
        InetAddress address = address(bare);
        return address != null && address.isLoopbackAddress();
    }

    private static boolean isWildcardIpv6(String bare) {
        InetAddress address = address(bare);
        return address != null && address.isAnyLocalAddress();
    }

    /** Between brackets the JDK takes literals only, so no name service is asked. */
    private static @Nullable InetAddress address(String bare) {
        if (bare.isEmpty() || bare.indexOf('[') >= 0 || bare.indexOf(']') >= 0 || bare.indexOf(':') < 0) {
            return null;
        }
        try {
            return InetAddress.getByName("[" + bare + "]");
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
