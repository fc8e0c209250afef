package io.kvgate.server.routing;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * What the gateway notices of a response's payload as it passes: token counts, whether an event stream stands between two events,
 * and whether it began with an error.
 *
 * <p>Threading: confined to one event loop.
 */
final class StreamObserver {
    private static final int LF_LF = 0x0A0A;
    private static final int CR_CR = 0x0D0D;
    private static final int CRLF_CRLF = 0x0D0A_0D0A;
    private static final int BEGINNING_BYTES = 32;

    private final UsageScanner usage = new UsageScanner();
    private final byte[] beginning = new byte[BEGINNING_BYTES];
    private int begun;
    /** The last four payload bytes. */
    private int tail;

    void payload(ByteBuf buf, int from, int length) {
        usage.payload(buf, from, length);
        if (begun < BEGINNING_BYTES) {
            int more = Math.min(BEGINNING_BYTES - begun, length);
            buf.getBytes(from, beginning, begun, more);
            begun += more;
        }
        for (int i = Math.max(from, from + length - 4); i < from + length; i++) {
            tail = (tail << 8) | (buf.getByte(i) & 0xFF);
        }
    }

    UsageScanner usage() {
        return usage;
    }

    /** True before the first byte and after a blank line, whichever line ends the stream uses. */
    boolean betweenEvents() {
        return begun == 0 || (tail & 0xFFFF) == LF_LF || (tail & 0xFFFF) == CR_CR || tail == CRLF_CRLF;
    }

    /** Whether the first event is {@code data: {"error"…}}. */
    boolean beganWithError() {
        String start = new String(beginning, 0, begun, StandardCharsets.ISO_8859_1).replace(" ", "");
        return start.startsWith("data:{\"error\":");
    }
}
