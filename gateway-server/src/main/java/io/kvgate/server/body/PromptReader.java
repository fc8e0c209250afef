package io.kvgate.server.body;

/**
 * Takes the values that hold a prompt and appends their text, in pieces that are parted by one space, and their token ids.
 *
 * <p>What counts: strings where a text is expected, and the parts of a message's content in their order, which are a {@code text}, a
 * nested {@code content} (the result of a tool), or an image, a sound, a film or a file. The latter count by their identity: 16
 * hexadecimal digits, XXH3-64 of the URL or data as it is written. Roles, names, calls of tools and their arguments do not count.
 * A value of another type than expected counts nothing; it is the engine's to judge.
 *
 * <p>An assistant's {@code reasoning_content} stands behind its {@code content} as in the engine's prompt, whichever came first.
 *
 * <p>Threading: confined to the thread that reads the body.
 */
final class PromptReader {
    private enum MessageMember {
        CONTENT,
        REASONING_CONTENT,
        OTHER,
        END
    }

    private enum PartMember {
        TEXT,
        CONTENT,
        IMAGE,
        IMAGE_URL,
        INPUT_IMAGE,
        AUDIO,
        AUDIO_URL,
        INPUT_AUDIO,
        VIDEO,
        VIDEO_URL,
        FILE,
        SOURCE,
        OTHER,
        END
    }

    private enum MediaMember {
        URL,
        DATA,
        FILE_ID,
        FILE_DATA,
        OTHER,
        END
    }

    private static final NameSet<MessageMember> MESSAGE_MEMBERS =
            NameSet.of(MessageMember.values(), MessageMember.OTHER, MessageMember.END);
    private static final NameSet<PartMember> PART_MEMBERS =
            NameSet.of(PartMember.values(), PartMember.OTHER, PartMember.END);
    private static final NameSet<MediaMember> MEDIA_MEMBERS =
            NameSet.of(MediaMember.values(), MediaMember.OTHER, MediaMember.END);

    /** What of an array of values counts. */
    enum Counted {
        TEXTS,
        IDS,
        BOTH;

        boolean texts() {
            return this != IDS;
        }

        boolean ids() {
            return this != TEXTS;
        }
    }

    private final JsonScanner scanner;
    private final TextBuffer text;
    private final TokenIds ids;

    PromptReader(JsonScanner scanner, TextBuffer text, TokenIds ids) {
        this.scanner = scanner;
        this.text = text;
        this.ids = ids;
    }

    /** Takes a string, a number, an array of either, or an array of such arrays. */
    void values(Counted counted) {
        switch (scanner.kind()) {
            case '"' -> textIf(counted.texts());
            case '[' -> {
                scanner.enterArray();
                while (scanner.nextElement()) {
                    values(counted);
                }
            }
            case '{' -> {
                if (counted.texts()) {
                    part();
                } else {
                    scanner.skipValue();
                }
            }
            case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> {
                long id = scanner.number();
                if (counted.ids() && id != JsonScalars.NO_ID) {
                    ids.add(id);
                }
            }
            default -> scanner.skipValue();
        }
    }

    private void textIf(boolean counts) {
        if (counts) {
            text();
        } else {
            scanner.skipValue();
        }
    }

    private void text() {
        int before = text.beginPiece();
        scanner.string(text);
        text.endPiece(before);
    }

    /** Takes a conversation: an array of messages, or one string. */
    void messages() {
        switch (scanner.kind()) {
            case '"' -> text();
            case '[' -> {
                scanner.enterArray();
                while (scanner.nextElement()) {
                    switch (scanner.kind()) {
                        case '{' -> message();
                        case '"' -> text();
                        default -> scanner.skipValue();
                    }
                }
            }
            default -> scanner.skipValue();
        }
    }

    private void message() {
        int reasoningStart = 0;
        int reasoningEnd = -1;
        scanner.enterObject();
        MessageMember member = scanner.nextMember(MESSAGE_MEMBERS);
        while (member != MessageMember.END) {
            int before = text.length;
            if (member == MessageMember.CONTENT) {
                content();
                if (before == reasoningEnd) {
                    text.swap(reasoningStart, reasoningEnd);
                }
            } else if (member == MessageMember.REASONING_CONTENT && scanner.kind() == '"') {
                text();
                reasoningStart = before == 0 ? 0 : before + 1;
                reasoningEnd = text.length;
            } else {
                scanner.skipValue();
            }
            member = scanner.nextMember(MESSAGE_MEMBERS);
        }
    }

    /** Takes a content: a string, a part, or an array of either. */
    void content() {
        switch (scanner.kind()) {
            case '"' -> text();
            case '{' -> part();
            case '[' -> {
                scanner.enterArray();
                while (scanner.nextElement()) {
                    switch (scanner.kind()) {
                        case '"' -> text();
                        case '{' -> part();
                        default -> scanner.skipValue();
                    }
                }
            }
            default -> scanner.skipValue();
        }
    }

    private void part() {
        scanner.enterObject();
        PartMember member = scanner.nextMember(PART_MEMBERS);
        while (member != PartMember.END) {
            switch (member) {
                case TEXT -> textIf(scanner.kind() == '"');
                case CONTENT -> content();
                case OTHER, END -> scanner.skipValue();
                default -> media();
            }
            member = scanner.nextMember(PART_MEMBERS);
        }
    }

    private void media() {
        switch (scanner.kind()) {
            case '"' -> identity();
            case '{' -> {
                scanner.enterObject();
                MediaMember member = scanner.nextMember(MEDIA_MEMBERS);
                while (member != MediaMember.END) {
                    if (member != MediaMember.OTHER && scanner.kind() == '"') {
                        identity();
                    } else {
                        scanner.skipValue();
                    }
                    member = scanner.nextMember(MEDIA_MEMBERS);
                }
            }
            default -> scanner.skipValue();
        }
    }

    private void identity() {
        long hash = scanner.stringHash();
        if (scanner.hashedBytes() > 0) {
            int before = text.beginPiece();
            text.appendHex(hash);
            text.endPiece(before);
        }
    }

    /** The ids' decimal digits as text, parted by spaces. */
    void idsAsText() {
        for (int i = 0; i < ids.count && !text.full(); i++) {
            int before = text.beginPiece();
            text.appendDecimal(ids.ids[i]);
            text.endPiece(before);
        }
    }
}
