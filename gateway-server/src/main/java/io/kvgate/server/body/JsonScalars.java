package io.kvgate.server.body;

import static io.kvgate.server.body.JsonInput.INTS;

/**
 * The numbers and literals of a JSON text.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class JsonScalars {
    /** What {@link #number} answers for anything but a plain integer of 32 bits. */
    static final long NO_ID = -1;

    private static final long MAX_ID = 0xFFFF_FFFFL;

    private final JsonInput in;

    JsonScalars(JsonInput in) {
        this.in = in;
    }

    /**
     * Takes a literal.
     *
     * @param word its last four bytes, the first of them lowest
     * @param before how many bytes are in front of these, and known already
     */
    void literal(int word, int before) {
        if ((int) INTS.get(in.window, in.at + before) != word) {
            throw in.notJson();
        }
        in.at += before + Integer.BYTES;
    }

    /**
     * Takes a number, or refuses what is none.
     *
     * @return its value if it is a plain integer from 0 to 2^32 − 1; else {@link #NO_ID}
     */
    long number() {
        long start = in.offset();
        boolean plain = true;
        long value = 0;
        int c = in.peek();
        if (c == '-') {
            plain = false;
            c = after();
        }
        if (c == '0') {
            c = after();
        } else if (c >= '1' && c <= '9') {
            for (; c >= '0' && c <= '9'; c = after()) {
                value = Math.min(value * 10 + (c - '0'), MAX_ID + 1);
            }
        } else {
            throw in.notJson();
        }
        if (c == '.') {
            plain = false;
            after();
            c = digits();
        }
        if (c == 'e' || c == 'E') {
            plain = false;
            c = after();
            if (c == '+' || c == '-') {
                after();
            }
            digits();
        }
        if (in.offset() - start > JsonScanner.MAX_NUMBER_LENGTH) {
            throw JsonScanner.beyondLimits();
        }
        return plain && value <= MAX_ID ? value : NO_ID;
    }

    /**
     * Takes a byte.
     *
     * @return the one behind it; 0 at the end
     */
    private int after() {
        in.at++;
        if (in.at > in.softLimit) {
            in.refill(in.at);
        }
        return in.window[in.at];
    }

    /**
     * Takes one digit or more.
     *
     * @return the byte behind
     */
    private int digits() {
        int c = in.window[in.at];
        if (c < '0' || c > '9') {
            throw in.notJson();
        }
        while (c >= '0' && c <= '9') {
            c = after();
        }
        return c;
    }
}
