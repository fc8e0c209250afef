package io.kvgate.core.request;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * The part of a request that routing by prefix works on: the routing text of the whole conversation in order, and the token ids if
 * the client gave them. Both may be empty.
 *
 * <p>The text is preceded by its <em>scope</em>, which is what must be equal for two prompts to share anything at all in an engine's
 * cache: cache salt, LoRA adapter, extra key, tools. Equal scopes are equal bytes; a scope is never a proper prefix of another.
 * Lengths in code points never count the scope.
 *
 * <p>A prompt is a view on arrays that belong to whoever read the request, and that are overwritten by the next request: it is valid
 * during one selection only. Who keeps something copies it.
 *
 * <p>Threading: confined to the thread that selects.
 */
public final class Prompt {
    /** Nothing to route on, or the policy does not ask for it. */
    public static final Prompt NONE = new Prompt(new byte[0], 0, 0, 0, new int[0], 0);

    private final byte[] bytes;
    private final int scopeLength;
    private final int length;
    private final int codePoints;
    private final int[] tokenIds;
    private final int tokenCount;

    /**
     * @param bytes well-formed UTF-8 from index 0: first the scope, then the text; may be longer than used
     * @param scopeLength bytes of the scope
     * @param length bytes of scope and text together
     * @param codePoints of the text, without the scope
     * @param tokenIds ids as unsigned 32-bit numbers, from index 0; may be longer than used
     * @param tokenCount how many
     */
    public Prompt(byte[] bytes, int scopeLength, int length, int codePoints, int[] tokenIds, int tokenCount) {
        Objects.checkFromToIndex(0, length, bytes.length);
        Objects.checkFromToIndex(0, scopeLength, length);
        Objects.checkFromToIndex(0, tokenCount, tokenIds.length);
        if (codePoints < 0 || codePoints > length - scopeLength) {
            throw new IllegalArgumentException(
                    "codePoints: " + codePoints + " (expected: 0 to " + (length - scopeLength) + ")");
        }
        this.bytes = bytes;
        this.scopeLength = scopeLength;
        this.length = length;
        this.codePoints = codePoints;
        this.tokenIds = tokenIds;
        this.tokenCount = tokenCount;
    }

    /** A prompt of that text alone, with arrays of its own. */
    public static Prompt ofText(String text) {
        return of("", text);
    }

    /** A prompt of that scope and text, with arrays of its own. Lone surrogates become U+FFFD. */
    public static Prompt of(String scope, String text) {
        byte[] scopeBytes = wellFormed(scope);
        byte[] textBytes = wellFormed(text);
        byte[] bytes = Arrays.copyOf(scopeBytes, scopeBytes.length + textBytes.length);
        System.arraycopy(textBytes, 0, bytes, scopeBytes.length, textBytes.length);
        return new Prompt(bytes, scopeBytes.length, bytes.length, text.codePointCount(0, text.length()), new int[0], 0);
    }

    /** A prompt of ids alone. */
    public static Prompt ofTokens(int... ids) {
        return new Prompt(new byte[0], 0, 0, 0, ids.clone(), ids.length);
    }

    private static byte[] wellFormed(String text) {
        StringBuilder mended = new StringBuilder(text.length());
        text.codePoints()
                .forEach(point -> mended.appendCodePoint(
                        point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xFFFD : point));
        return mended.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Scope and text as UTF-8, from index 0 to {@link #length}. Not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** Bytes of the scope; the text begins here. */
    public int scopeLength() {
        return scopeLength;
    }

    /** Bytes of scope and text together. */
    public int length() {
        return length;
    }

    /** Code points of the text, without the scope. */
    public int codePoints() {
        return codePoints;
    }

    public boolean hasText() {
        return length > scopeLength;
    }

    /** Token ids as unsigned 32-bit numbers, from index 0 to {@link #tokenCount}; batches are joined. Not to be changed. */
    public int[] tokenIds() {
        return tokenIds;
    }

    public int tokenCount() {
        return tokenCount;
    }

    /** The text, for logs and tests; made anew by each call. */
    public String text() {
        return new String(bytes, scopeLength, length - scopeLength, StandardCharsets.UTF_8);
    }
}
