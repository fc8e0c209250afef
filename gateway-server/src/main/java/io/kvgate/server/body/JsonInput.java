package io.kvgate.server.body;

import com.dynatrace.hash4j.hashing.HashStream64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.netty.buffer.Unpooled;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A window that moves over a body, so that one scanner serves 100 bytes and 100 MB without a whole copy.
 *
 * <p>While {@code at <= softLimit} the {@link #LOOKAHEAD} bytes from {@code at} on are real input. When the input's end is in the
 * window there is no soft limit, and zeros follow the last byte: zero is legal nowhere in JSON, so every loop stops there by itself
 * and no loop asks for the end at each byte.
 *
 * <p>A <em>tap</em> hashes what is taken from the window, without white space between tokens and without a copy.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class JsonInput {
    /** What {@link #peek} answers at the end of the input. */
    static final int END = -1;
    /** Four words that are searched, and from their last byte on the longest escape: a pair of surrogates. */
    static final int LOOKAHEAD = 48;

    static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long SPACES = 0x2020202020202020L;

    /** The window; never another array. */
    final byte[] window;
    /** The next byte to take. */
    int at;

    int softLimit;

    private final int size;
    private int limit;
    private boolean ended;
    /** The input's offset of the window's first byte. */
    private long base;

    private BodySource source = new SliceSource(Unpooled.EMPTY_BUFFER, 0);
    private final HashStream64 tap = Hashing.xxh3_64().hashStream();
    private boolean tapping;
    private int tappedFrom;
    private long tappedBytes;

    /** @param size bytes of the window; at least twice {@link #LOOKAHEAD} */
    JsonInput(int size) {
        if (size < 2 * LOOKAHEAD) {
            throw new IllegalArgumentException("size: " + size + " (expected: >= " + 2 * LOOKAHEAD + ")");
        }
        this.size = size;
        window = new byte[size + LOOKAHEAD];
    }

    void start(BodySource input) {
        source = input;
        at = 0;
        limit = 0;
        base = 0;
        ended = false;
        tapping = false;
        fill();
    }

    /** Lets go of the body. */
    void stop() {
        source = new SliceSource(Unpooled.EMPTY_BUFFER, 0);
    }

    /**
     * Moves the window's start to this place.
     *
     * @return where it is now
     */
    int refill(int from) {
        if (tapping) {
            flushTap(from);
            tappedFrom = 0;
        }
        System.arraycopy(window, from, window, 0, limit - from);
        base += from;
        limit -= from;
        at = 0;
        fill();
        return 0;
    }

    private void fill() {
        while (limit < size && !ended) {
            int count = source.read(window, limit, size - limit);
            limit += count;
            ended = count == 0 || source.exhausted();
        }
        Arrays.fill(window, limit, limit + LOOKAHEAD, (byte) 0);
        softLimit = ended ? Integer.MAX_VALUE : limit - LOOKAHEAD;
    }

    /** The first byte that is not white space, as 0 to 255, or {@link #END}. It is not taken; the white space is. */
    int peek() {
        int b = at > softLimit ? 0 : window[at];
        return b > ' ' ? b : peekFurther();
    }

    private int peekFurther() {
        while (true) {
            if (at > softLimit) {
                refill(at);
            }
            int b = window[at];
            if (b == ' ' || b == '\n' || b == '\r' || b == '\t') {
                skipSpace();
            } else {
                return b == 0 && at >= limit ? END : b & 0xFF;
            }
        }
    }

    private void skipSpace() {
        if (tapping) {
            flushTap(at);
        }
        at++;
        while (at <= softLimit && (long) LONGS.get(window, at) == SPACES) {
            at += Long.BYTES;
        }
        tappedFrom = at;
    }

    // ------------------------------------------------------------- tap

    /** From here on what is taken is hashed. */
    void beginTap() {
        tap.reset();
        tapping = true;
        tappedFrom = at;
        tappedBytes = 0;
    }

    /**
     * @param spared how many of the bytes that were taken last do not count; 0 or 1
     * @return XXH3-64 of what was taken
     */
    long endTap(int spared) {
        flushTap(at - spared);
        tapping = false;
        return tap.getAsLong();
    }

    /** Bytes hashed by the last tap. */
    long tappedBytes() {
        return tappedBytes;
    }

    private void flushTap(int to) {
        if (to > tappedFrom) {
            tap.putBytes(window, tappedFrom, to - tappedFrom);
            tappedBytes += to - tappedFrom;
        }
        tappedFrom = to;
    }

    // ------------------------------------------------------------- places

    /** The offset of the next byte to take, from the body's start. */
    long offset() {
        return base + at;
    }

    /** The refusal of a body that is no JSON from this place on; it makes the input unusable. */
    GatewayException notJson(int place) {
        at = place;
        return new GatewayException(ErrorCode.INVALID_JSON, "body: not JSON" + place());
    }

    GatewayException notJson() {
        return notJson(at);
    }

    /** Where the next byte is, in words; counted from the body's start, so the input is not usable afterwards. */
    String place() {
        long left = base + Math.min(at, limit);
        long line = 1;
        long column = 1;
        source.restart();
        for (int count = 1; left > 0 && count > 0; left -= count) {
            count = source.read(window, 0, (int) Math.min(left, size));
            for (int i = 0; i < count; i++) {
                boolean lineEnd = window[i] == '\n';
                line += lineEnd ? 1 : 0;
                column = lineEnd ? 1 : column + 1;
            }
        }
        return " at line " + line + ", column " + column;
    }
}
