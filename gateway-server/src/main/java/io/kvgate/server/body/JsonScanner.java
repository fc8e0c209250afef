package io.kvgate.server.body;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.netty.buffer.ByteBuf;

/**
 * A strict pull scanner of one JSON text: the caller enters objects and arrays, asks for the next member or element, and takes or
 * skips its value. What is skipped is checked as well. Nothing is allocated, and nested values that are skipped use no stack.
 *
 * <p>Strict means RFC 8259, with well-formed UTF-8. A byte order mark and UTF-16 or UTF-32 are taken, as engines do.
 *
 * <p>Order of calls: {@link #begin}; {@link #enterObject} and {@link #nextMember} until there is none; {@link #finish}; {@link #release}. After
 * each member and element exactly one value is taken. After a refusal only the last is allowed.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class JsonScanner {
    static final int MAX_NESTING = 1_000;
    static final int MAX_NUMBER_LENGTH = 10_000;
    static final int MAX_NAME_LENGTH = 100_000;
    private static final int KEPT_NAME_BYTES = 64;

    private final JsonInput in;
    private final JsonStrings strings;
    private final JsonScalars scalars;
    private final TextBuffer name = new TextBuffer(KEPT_NAME_BYTES);
    /** One bit per level: set for an object, else an array. */
    private final long[] kinds = new long[MAX_NESTING / Long.SIZE + 1];

    private int depth;
    /** Nothing of the innermost object or array was taken yet. */
    private boolean fresh;

    /** @param windowBytes how much of a body is looked at at once; at least twice {@link JsonInput#LOOKAHEAD} */
    JsonScanner(int windowBytes) {
        in = new JsonInput(windowBytes);
        strings = new JsonStrings(in);
        scalars = new JsonScalars(in);
    }

    /** Begins with a body, which must hold an object. Moves none of its indices. */
    void begin(ByteBuf body) {
        in.start(BodySource.of(body));
        depth = 0;
        int first = in.peek();
        if (first == '{') {
            return;
        }
        if (first == JsonInput.END || "[\"-0123456789tfn".indexOf(first) >= 0) {
            String what = first == JsonInput.END ? "empty" : "not an object";
            throw refusal("body: " + what + " (expected: a JSON object)");
        }
        throw in.notJson();
    }

    /** Checks that nothing follows. */
    void finish() {
        if (in.peek() != JsonInput.END) {
            throw refusal("body: goes on after the object" + in.place());
        }
    }

    /** Lets go of the body, after it was read or refused. */
    void release() {
        in.stop();
    }

    /** The first character of the value that comes next, which is not taken; meaningless if it is broken. */
    int kind() {
        return in.peek();
    }

    // ------------------------------------------------------------- objects and arrays

    void enterObject() {
        enter('{', true);
    }

    void enterArray() {
        enter('[', false);
    }

    private void enter(char bracket, boolean object) {
        if (in.peek() != bracket) {
            throw in.notJson();
        }
        if (depth == MAX_NESTING) {
            throw beyondLimits();
        }
        in.at++;
        long bit = 1L << depth;
        long kind = kinds[depth >> 6];
        kinds[depth >> 6] = object ? kind | bit : kind & ~bit;
        depth++;
        fresh = true;
    }

    private boolean inObject() {
        int level = depth - 1;
        return (kinds[level >> 6] >>> level & 1) != 0;
    }

    private void leave() {
        in.at++;
        depth--;
        fresh = false;
    }

    /**
     * Takes a member's name.
     *
     * @return what it stands for; the constant for the end if there is none, and the object is left
     */
    <E extends Enum<E>> E nextMember(NameSet<E> names) {
        int next = in.peek();
        if (next == '}') {
            leave();
            return names.end();
        }
        if (!fresh) {
            if (next != ',') {
                throw in.notJson();
            }
            in.at++;
        }
        fresh = false;
        openName();
        E found = name(names);
        colon();
        return found;
    }

    private void openName() {
        if (in.peek() != '"') {
            throw in.notJson();
        }
        in.at++;
    }

    private void colon() {
        if (in.peek() != ':') {
            throw in.notJson();
        }
        in.at++;
    }

    private <E extends Enum<E>> E name(NameSet<E> names) {
        byte[] window = in.window;
        int from = in.at;
        // A name that goes on beyond the soft limit is read with care.
        int end = (int) Math.min((long) from + KEPT_NAME_BYTES, in.softLimit);
        for (int to = from; to < end; to++) {
            int b = window[to];
            if (b == '"') {
                in.at = to + 1;
                return names.find(window, from, to);
            }
            if (b < ' ' || b == '\\') {
                break;
            }
        }
        long start = in.offset();
        name.clear();
        strings.copy(name);
        if (in.offset() - start > MAX_NAME_LENGTH) {
            throw beyondLimits();
        }
        return names.find(name.bytes, 0, name.length);
    }

    /**
     * Goes to an array's next element.
     *
     * @return false: there is none, and the array is left
     */
    boolean nextElement() {
        int next = in.peek();
        if (next == ']') {
            leave();
            return false;
        }
        if (!fresh) {
            if (next != ',') {
                throw in.notJson();
            }
            in.at++;
        }
        fresh = false;
        return true;
    }

    // ------------------------------------------------------------- values

    /** Takes a string and appends what it means. */
    void string(TextBuffer out) {
        in.at++;
        strings.copy(out);
    }

    /** Takes a string that must fit into the scratch. */
    String shortString(TextBuffer scratch) {
        scratch.clear();
        string(scratch);
        if (scratch.full()) {
            throw beyondLimits();
        }
        return new String(scratch.bytes, 0, scratch.length, UTF_8);
    }

    /**
     * Takes a string.
     *
     * @return XXH3-64 of its bytes as they are written, between the quotes
     */
    long stringHash() {
        in.at++;
        in.beginTap();
        strings.skip();
        return in.endTap(1);
    }

    /**
     * Takes a string and appends what it means.
     *
     * @return as {@link #stringHash}
     */
    long stringHash(TextBuffer out) {
        in.at++;
        in.beginTap();
        strings.copy(out);
        return in.endTap(1);
    }

    /**
     * Takes a value of any kind.
     *
     * @return XXH3-64 of its bytes, without white space between tokens
     */
    long valueHash() {
        in.peek();
        in.beginTap();
        skipValue();
        return in.endTap(0);
    }

    /** How many bytes the last hash was made of. */
    long hashedBytes() {
        return in.tappedBytes();
    }

    /** Takes a value of any kind, whatever is in it. */
    void skipValue() {
        int floor = depth;
        boolean atValue = true;
        while (atValue || depth > floor) {
            if (atValue) {
                atValue = !skipStart();
            } else {
                atValue = skipToNext();
            }
        }
    }

    /**
     * Takes a scalar or an empty nested value whole, of others the beginning.
     *
     * @return whether it is whole
     */
    private boolean skipStart() {
        int next = in.peek();
        switch (next) {
            case '"' -> {
                in.at++;
                strings.skip();
            }
            case '{', '[' -> {
                boolean object = next == '{';
                enter((char) next, object);
                if (in.peek() != next + 2) {
                    if (object) {
                        skipName();
                    }
                    return false;
                }
                leave();
            }
            case 't' -> scalars.literal('e' << 24 | 'u' << 16 | 'r' << 8 | 't', 0);
            case 'f' -> scalars.literal('e' << 24 | 's' << 16 | 'l' << 8 | 'a', 1);
            case 'n' -> scalars.literal('l' << 24 | 'l' << 16 | 'u' << 8 | 'n', 0);
            default -> scalars.number();
        }
        return true;
    }

    /**
     * Behind a value in an object or array: takes what follows.
     *
     * @return true: a value comes; false: that one was left
     */
    private boolean skipToNext() {
        int next = in.peek();
        boolean object = inObject();
        if (next == ',') {
            in.at++;
            if (object) {
                skipName();
            }
            return true;
        }
        if (next != (object ? '}' : ']')) {
            throw in.notJson();
        }
        leave();
        return false;
    }

    private void skipName() {
        openName();
        long start = in.offset();
        strings.skip();
        if (in.offset() - start > MAX_NAME_LENGTH) {
            throw beyondLimits();
        }
        colon();
    }

    /**
     * Takes a number, or refuses what is none.
     *
     * @return its value if it is a plain integer from 0 to 2^32 − 1; else {@link JsonScalars#NO_ID}
     */
    long number() {
        return scalars.number();
    }

    /** The refusal of a body that is JSON. */
    static GatewayException refusal(String message) {
        return new GatewayException(ErrorCode.INVALID_JSON, message);
    }

    /** The refusal of a value whose type its member does not allow. */
    GatewayException wrongType(String member, String expected) {
        return new GatewayException(
                ErrorCode.INVALID_REQUEST, member + ": of a wrong type" + in.place() + " (expected: " + expected + ")");
    }

    static GatewayException beyondLimits() {
        return refusal("body: beyond the gateway's limits (nesting " + MAX_NESTING + ", numbers " + MAX_NUMBER_LENGTH
                + " digits, names " + MAX_NAME_LENGTH + " bytes, model " + RequestReader.MAX_MODEL_BYTES
                + " bytes)");
    }
}
