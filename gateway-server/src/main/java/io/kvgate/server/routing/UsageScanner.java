package io.kvgate.server.routing;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Reads token counts out of a response that passes by, JSON or events, without parsing it.
 *
 * <p>It looks for the members {@code prompt_tokens}, {@code completion_tokens}, {@code cached_tokens} and their twins {@code
 * input_tokens} and {@code output_tokens}, each followed by a number. In valid JSON the bytes {@code "cached_tokens":} can only be
 * a member name (or the end of one that holds a quote, which no engine uses): inside a string the quotes would be escaped. Counts only grow within an answer, so the largest value seen is
 * kept; an answer that repeats its usage with each event is not counted twice.
 *
 * <p>Cost: one search for an underscore per payload, vectorized by the buffer. Threading: confined to one event loop.
 */
final class UsageScanner {
    private static final byte[] TAIL = "tokens\"".getBytes(StandardCharsets.US_ASCII);
    /** Longest of what is looked for, with its number, is well below. */
    private static final int CARRY_BYTES = 64;

    private static final int MAX_DIGITS = 17;

    private final byte[] carry = new byte[2 * CARRY_BYTES];
    private int carried;
    private long prompt = -1;
    private long completion = -1;
    private long cached = -1;

    long prompt() {
        return prompt;
    }

    long completion() {
        return completion;
    }

    long cached() {
        return cached;
    }

    void payload(ByteBuf buf, int from, int length) {
        if (carried > 0) {
            int joined = Math.min(CARRY_BYTES, length);
            buf.getBytes(from, carry, carried, joined);
            scan(io.netty.buffer.Unpooled.wrappedBuffer(carry, 0, carried + joined), 0, carried + joined);
        }
        scan(buf, from, from + length);
        keepTail(buf, from, length);
    }

    private void keepTail(ByteBuf buf, int from, int length) {
        if (endsWithBlankLine(buf, from, length)) {
            // Members don't span events; the usual case costs nothing.
            carried = 0;
            return;
        }
        int kept = Math.min(CARRY_BYTES, length);
        if (length < CARRY_BYTES && carried > 0) {
            int old = Math.min(carried, CARRY_BYTES - length);
            System.arraycopy(carry, carried - old, carry, 0, old);
            buf.getBytes(from, carry, old, length);
            carried = old + length;
            return;
        }
        buf.getBytes(from + length - kept, carry, 0, kept);
        carried = kept;
    }

    private static boolean endsWithBlankLine(ByteBuf buf, int from, int length) {
        int last = from + length - 1;
        return length >= 3
                && buf.getByte(last) == '\n'
                && (buf.getByte(last - 1) == '\n' || buf.getByte(last - 2) == '\n');
    }

    private void scan(ByteBuf buf, int from, int to) {
        int at = buf.indexOf(from, to, (byte) '_');
        while (at >= 0 && at + TAIL.length < to) {
            if (tailAt(buf, at + 1)) {
                member(buf, from, at, to);
            }
            at = buf.indexOf(at + 1, to, (byte) '_');
        }
    }

    private static boolean tailAt(ByteBuf buf, int at) {
        for (int i = 0; i < TAIL.length; i++) {
            if (buf.getByte(at + i) != TAIL[i]) {
                return false;
            }
        }
        return true;
    }

    private void member(ByteBuf buf, int from, int underscore, int to) {
        long value = number(buf, underscore + 1 + TAIL.length, to);
        if (value < 0) {
            return;
        }
        if (named(buf, from, underscore, "prompt") || named(buf, from, underscore, "input")) {
            prompt = Math.max(prompt, value);
        } else if (named(buf, from, underscore, "completion") || named(buf, from, underscore, "output")) {
            completion = Math.max(completion, value);
        } else if (named(buf, from, underscore, "cached")) {
            cached = Math.max(cached, value);
        }
    }

    private static boolean named(ByteBuf buf, int from, int underscore, String name) {
        int start = underscore - name.length();
        if (start - 1 < from || buf.getByte(start - 1) != '"') {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (buf.getByte(start + i) != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** The whole number after a colon, or −1 if there is none, or none that small, or its end is not in sight. */
    private static long number(ByteBuf buf, int from, int to) {
        int at = skipSpace(buf, from, to);
        if (at == to || buf.getByte(at) != ':') {
            return -1;
        }
        at = skipSpace(buf, at + 1, to);
        long value = 0;
        int digits = 0;
        while (at < to && buf.getByte(at) >= '0' && buf.getByte(at) <= '9' && digits < MAX_DIGITS) {
            value = value * 10 + (buf.getByte(at) - '0');
            digits++;
            at++;
        }
        return digits > 0 && at < to && endsNumber(buf.getByte(at)) ? value : -1;
    }

    private static int skipSpace(ByteBuf buf, int from, int to) {
        int at = from;
        while (at < to && isSpace(buf.getByte(at))) {
            at++;
        }
        return at;
    }

    private static boolean isSpace(byte b) {
        return b == ' ' || b == '\n' || b == '\r' || b == '\t';
    }

    private static boolean endsNumber(byte b) {
        return b == ',' || b == '}' || isSpace(b);
    }
}
