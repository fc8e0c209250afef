package io.kvgate.server.body;

import static io.kvgate.server.body.JsonInput.INTS;
import static io.kvgate.server.body.JsonInput.LONGS;

import java.util.Arrays;

/**
 * The strings of a JSON text: checked, and decoded where they are wanted. Four words of eight bytes are searched at a time for
 * whatever is not plain text: quote, backslash, control characters, and bytes beyond ASCII.
 *
 * <p>UTF-8 is checked strictly (shortest form, no surrogates, nothing beyond U+10FFFF). A lone surrogate that is written as an escape
 * is legal JSON; it becomes U+FFFD in decoded text.
 *
 * <p>How a word is searched: for a byte below 0x80, {@code (byte ^ 2) − 0x21} has its high bit set only for control characters and
 * the quote, which trades places with the space; and {@code (byte ^ c) − 1} only for {@code c}. Bytes from 0x80 on are searched for
 * anyhow. A borrow can only reach bytes above one that was found, and only the lowest is used.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class JsonStrings {
    private static final int WORD = Long.BYTES;
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final long SIDE_BY_SIDE = 0x0002040810204081L;
    private static final long TWOS = ONES * 2;
    private static final long BEHIND_SPACE = ONES * 0x21;
    private static final long BACKSLASHES = ONES * '\\';
    private static final int MAX_SEQUENCE = 4;
    private static final int REPLACEMENT = 0xFFFD;
    /** What follows the backslash to what it means; 0: no such escape. */
    private static final byte[] ESCAPES = new byte[256];
    /** The value of a hexadecimal digit; negative: none. */
    private static final byte[] HEX = new byte[256];

    static {
        String written = "\"\\/bfnrt";
        String meant = "\"\\/\b\f\n\r\t";
        for (int i = 0; i < written.length(); i++) {
            ESCAPES[written.charAt(i)] = (byte) meant.charAt(i);
        }
        Arrays.fill(HEX, (byte) -1);
        for (int i = 0; i < 16; i++) {
            HEX[Character.forDigit(i, 16)] = (byte) i;
            HEX[Character.toUpperCase(Character.forDigit(i, 16))] = (byte) i;
        }
    }

    private final JsonInput in;

    JsonStrings(JsonInput in) {
        this.in = in;
    }

    /** Its high bits say which bytes are special, up to the lowest that is. */
    private static long special(long word) {
        return ((word ^ TWOS) - BEHIND_SPACE) | ((word ^ BACKSLASHES) - ONES) | word;
    }

    /** The eight high bits side by side, the lowest byte's lowest. */
    private static long bits(long special) {
        return ((special & HIGHS) * SIDE_BY_SIDE) >>> 56;
    }

    /** With how many plain bytes four words begin; 32 if all are. */
    private static int plain(long word0, long word1, long word2, long word3) {
        long special0 = special(word0);
        long special1 = special(word1);
        long special2 = special(word2);
        long special3 = special(word3);
        if (((special0 | special1 | special2 | special3) & HIGHS) == 0) {
            return 4 * WORD;
        }
        // Which of the words it is cannot be foreseen, so it is not asked for by branches.
        long bits = bits(special0) | bits(special1) << 8 | bits(special2) << 16 | bits(special3) << 24;
        return Long.numberOfTrailingZeros(bits);
    }

    /** Takes the rest of a string whose opening quote is taken. */
    void skip() {
        byte[] window = in.window;
        int at = in.at;
        while (true) {
            if (at > in.softLimit) {
                at = in.refill(at);
            }
            int plain = plain(
                    (long) LONGS.get(window, at),
                    (long) LONGS.get(window, at + WORD),
                    (long) LONGS.get(window, at + 2 * WORD),
                    (long) LONGS.get(window, at + 3 * WORD));
            at += plain;
            if (plain == 4 * WORD) {
                continue;
            }
            int b = window[at];
            if (b == '"') {
                in.at = at + 1;
                return;
            }
            if (b < 0) {
                at = skipSequences(at);
            } else if (b == '\\') {
                at += ESCAPES[window[at + 1] & 0xFF] != 0 ? 2 : width(unicode(at));
            } else {
                throw in.notJson(at);
            }
        }
    }

    /**
     * Takes code points beyond ASCII while they follow each other.
     *
     * @return where they end
     */
    private int skipSequences(int start) {
        byte[] window = in.window;
        int last = in.softLimit;
        int at = start;
        do {
            at += sequence(at);
        } while (at <= last && window[at] < 0);
        return at;
    }

    /** As {@link #skip}, and appends what the string means as far as there is room. */
    void copy(TextBuffer out) {
        byte[] window = in.window;
        byte[] target = out.bytes;
        int at = in.at;
        int to = out.length;
        while (true) {
            if (at > in.softLimit) {
                at = in.refill(at);
            }
            if (to > target.length - TextBuffer.ROOM) {
                out.length = to;
                if (!out.grow()) {
                    in.at = at;
                    skip();
                    return;
                }
                target = out.bytes;
            }
            int plain = copyPlain(window, at, target, to);
            at += plain;
            to += plain;
            if (plain == 4 * WORD) {
                continue;
            }
            int b = window[at];
            if (b == '"') {
                in.at = at + 1;
                out.length = to;
                return;
            }
            if (b < 0) {
                int length = copySequences(at, to, out);
                at += length;
                to += length;
            } else if (b == '\\') {
                byte meant = ESCAPES[window[at + 1] & 0xFF];
                if (meant != 0) {
                    target[to++] = meant;
                    at += 2;
                } else {
                    int point = unicode(at);
                    at += width(point);
                    to += encode(point, to, out);
                }
            } else {
                throw in.notJson(at);
            }
        }
    }

    /**
     * Copies four words.
     *
     * @return how many of their bytes are plain before the first that is not
     */
    private static int copyPlain(byte[] window, int at, byte[] target, int to) {
        long word0 = (long) LONGS.get(window, at);
        long word1 = (long) LONGS.get(window, at + WORD);
        long word2 = (long) LONGS.get(window, at + 2 * WORD);
        long word3 = (long) LONGS.get(window, at + 3 * WORD);
        LONGS.set(target, to, word0);
        LONGS.set(target, to + WORD, word1);
        LONGS.set(target, to + 2 * WORD, word2);
        LONGS.set(target, to + 3 * WORD, word3);
        return plain(word0, word1, word2, word3);
    }

    /**
     * Copies code points beyond ASCII while they follow each other and there is room.
     *
     * @return bytes copied, at least 2
     */
    private int copySequences(int start, int to, TextBuffer out) {
        byte[] window = in.window;
        byte[] target = out.bytes;
        int shift = to - start;
        int last = Math.min(in.softLimit, target.length - MAX_SEQUENCE - shift);
        int at = start;
        int points = 0;
        do {
            INTS.set(target, at + shift, (int) INTS.get(window, at));
            at += sequence(at);
            points++;
        } while (at <= last && window[at] < 0);
        out.continuations += at - start - points;
        return at - start;
    }

    /** The length of the code point of two bytes or more that begins here, which is checked. */
    private int sequence(int at) {
        int word = (int) INTS.get(in.window, at);
        // Two bytes, and not an overlong form.
        if ((word & 0xC0E0) == 0x80C0 && (word & 0x1E) != 0) {
            return 2;
        }
        if ((word & 0xC0C0F0) == 0x8080E0) {
            int first = word & 0xFF;
            int second = word & 0x2000;
            if (first == 0xE0 ? second != 0 : first != 0xED || second == 0) {
                return 3;
            }
        } else if ((word & 0xC0C0C0F8) == 0x808080F0) {
            int pair = (word & 0xFF) << 8 | (word >>> 8 & 0xFF);
            if (pair >= 0xF090 && pair <= 0xF48F) {
                return 4;
            }
        }
        throw in.notJson(at);
    }

    /** The code point of the escape {@code \\uXXXX}, or of two that are a pair, that begins here; a lone surrogate is replaced. */
    private int unicode(int at) {
        byte[] window = in.window;
        int unit = window[at + 1] == 'u' ? hex(at + 2) : -1;
        if (unit < 0) {
            throw in.notJson(at);
        }
        if (unit < Character.MIN_SURROGATE || unit > Character.MAX_SURROGATE) {
            return unit;
        }
        if (unit <= Character.MAX_HIGH_SURROGATE && window[at + 6] == '\\' && window[at + 7] == 'u') {
            int low = hex(at + 8);
            if (low >= Character.MIN_LOW_SURROGATE && low <= Character.MAX_LOW_SURROGATE) {
                return Character.toCodePoint((char) unit, (char) low);
            }
        }
        return REPLACEMENT;
    }

    /** Bytes of the escape that means this code point. */
    private static int width(int point) {
        return point > 0xFFFF ? 12 : 6;
    }

    /** @return negative if there are no four digits */
    private int hex(int at) {
        byte[] window = in.window;
        return HEX[window[at] & 0xFF] << 12
                | HEX[window[at + 1] & 0xFF] << 8
                | HEX[window[at + 2] & 0xFF] << 4
                | HEX[window[at + 3] & 0xFF];
    }

    /** @return bytes written */
    private static int encode(int point, int to, TextBuffer out) {
        byte[] target = out.bytes;
        if (point < 0x80) {
            target[to] = (byte) point;
            return 1;
        }
        if (point < 0x800) {
            target[to] = (byte) (0xC0 | point >> 6);
            target[to + 1] = (byte) (0x80 | (point & 0x3F));
            out.continuations += 1;
            return 2;
        }
        if (point <= 0xFFFF) {
            target[to] = (byte) (0xE0 | point >> 12);
            target[to + 1] = (byte) (0x80 | (point >> 6 & 0x3F));
            target[to + 2] = (byte) (0x80 | (point & 0x3F));
            out.continuations += 2;
            return 3;
        }
        target[to] = (byte) (0xF0 | point >> 18);
        target[to + 1] = (byte) (0x80 | (point >> 12 & 0x3F));
        target[to + 2] = (byte) (0x80 | (point >> 6 & 0x3F));
        target[to + 3] = (byte) (0x80 | (point & 0x3F));
        out.continuations += 3;
        return 4;
    }
}
