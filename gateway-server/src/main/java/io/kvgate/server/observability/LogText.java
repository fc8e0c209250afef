package io.kvgate.server.observability;

/** Makes foreign text safe for a line of a log: no control characters, no forged line, bounded length. */
final class LogText {
    /** Longer values are cut; paths and models come from clients. */
    static final int MAX_VALUE_CHARS = 1_024;

    private LogText() {}

    /** Appends {@code value} as the right side of {@code key=}, in quotes where it needs them. */
    static void appendValue(StringBuilder line, String value) {
        if (isBare(value)) {
            line.append(value);
            return;
        }
        line.append('"');
        int end = Math.min(value.length(), MAX_VALUE_CHARS);
        for (int i = 0; i < end; i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else {
                appendEscaped(line, value, i);
            }
        }
        if (end < value.length()) {
            line.append('…');
        }
        line.append('"');
    }

    /** Appends a message: control characters escaped, the rest as it is. */
    static void appendMessage(StringBuilder line, String message) {
        for (int i = 0; i < message.length(); i++) {
            appendEscaped(line, message, i);
        }
    }

    /** The value, cut to the bound. */
    static String bounded(String value) {
        return value.length() <= MAX_VALUE_CHARS ? value : value.substring(0, MAX_VALUE_CHARS) + "…";
    }

    private static boolean isBare(String value) {
        if (value.isEmpty() || value.length() > MAX_VALUE_CHARS) {
            return false;
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean plain = c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
            if (!plain) {
                return false;
            }
        }
        return true;
    }

    private static void appendEscaped(StringBuilder line, String text, int index) {
        char c = text.charAt(index);
        switch (c) {
            case '\n' -> line.append("\\n");
            case '\r' -> line.append("\\r");
            case '\t' -> line.append("\\t");
            default -> {
                if (isHarmless(text, index)) {
                    line.append(c);
                } else {
                    line.append("\\u").append(String.format("%04x", (int) c));
                }
            }
        }
    }

    /** Not a control, line separator, direction mark or half of a character. */
    private static boolean isHarmless(String text, int index) {
        char c = text.charAt(index);
        if (c < 0x7f) {
            return c >= ' ';
        }
        if (Character.isHighSurrogate(c)) {
            return index + 1 < text.length() && Character.isLowSurrogate(text.charAt(index + 1));
        }
        if (Character.isLowSurrogate(c)) {
            return index > 0 && Character.isHighSurrogate(text.charAt(index - 1));
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
