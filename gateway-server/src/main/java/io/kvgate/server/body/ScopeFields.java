package io.kvgate.server.body;

import java.util.EnumMap;
import java.util.Map;

/**
 * The members of a request that keep its cache apart from that of others, and the bytes that stand for them in front of a prompt.
 *
 * <p>A string of up to {@link #LITERAL_BYTES} bytes stands for itself; a longer one, and any other value, is stood for by the 16
 * hexadecimal digits of the XXH3-64 of its bytes as they were written, without white space between tokens. Absent, null, {@code ""},
 * {@code []} and {@code {}} are the same.
 *
 * <p>The bytes are {@code 0x01 (tag value)* 0x02}, fields in the order of {@link Field}, or nothing at all. A literal is {@code tag
 * length ':' bytes} with a lower-case tag, a hash {@code TAG digits}. Read from the left this has one meaning only, so none is a
 * proper prefix of another; and a text of a request without scope begins with 0x01 only if its client means to.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class ScopeFields {
    static final int LITERAL_BYTES = 128;

    /** What is told apart, by the order in which it stands. */
    enum Field {
        CACHE_SALT('s'),
        EXTRA_KEY('k'),
        LORA_PATH('p'),
        LORA_NAME('n'),
        LORA_REQUEST('r'),
        INSTRUCTIONS('i'),
        TOOLS('t'),
        FUNCTIONS('f');

        private final byte tag;

        Field(char tag) {
            this.tag = (byte) tag;
        }
    }

    /** One field's value in this body. */
    private static final class Value {
        private final TextBuffer literal = new TextBuffer(LITERAL_BYTES);
        private boolean present;
        private boolean hashed;
        private long hash;
    }

    private static final byte BEGIN = 1;
    private static final byte END = 2;

    private final JsonScanner scanner;
    private final Map<Field, Value> values = new EnumMap<>(Field.class);
    private final TextBuffer encoded = new TextBuffer(2_048);
    private boolean any;

    ScopeFields(JsonScanner scanner) {
        this.scanner = scanner;
    }

    void clear() {
        if (any) {
            values.values().forEach(value -> value.present = false);
            any = false;
        }
    }

    /** Takes the value of a field; of several the last holds. */
    void read(Field field) {
        Value value = values.computeIfAbsent(field, absent -> new Value());
        int kind = scanner.kind();
        value.hashed = kind != '"';
        if (kind == '"') {
            TextBuffer literal = value.literal;
            literal.clear();
            value.hash = scanner.stringHash(literal);
            value.hashed = literal.full() || literal.length > LITERAL_BYTES;
            value.present = literal.full() || literal.length > 0;
        } else {
            value.hash = scanner.valueHash();
            boolean empty = (kind == '[' || kind == '{') && scanner.hashedBytes() == "[]".length();
            value.present = kind != 'n' && !empty;
        }
        any |= value.present;
    }

    /**
     * Puts the bytes in front of the text.
     *
     * @return how many
     */
    int insertInto(TextBuffer text) {
        encoded.clear();
        if (any) {
            values.forEach(this::encode);
        }
        if (encoded.length == 0) {
            return 0;
        }
        encoded.append(END);
        text.insertFront(encoded.bytes, encoded.length);
        return encoded.length;
    }

    private void encode(Field field, Value value) {
        if (!value.present) {
            return;
        }
        if (encoded.length == 0) {
            encoded.append(BEGIN);
        }
        if (value.hashed) {
            encoded.append((byte) Character.toUpperCase(field.tag));
            encoded.appendHex(value.hash);
        } else {
            encoded.append(field.tag);
            encoded.appendDecimal(value.literal.length);
            encoded.append((byte) ':');
            encoded.append(value.literal);
        }
    }
}
