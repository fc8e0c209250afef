package io.kvgate.bench.workload;

import java.util.random.RandomGenerator;

/**
 * Text as people and models write it in chats: sentences, quotations, lists and lines of code, so that its JSON form has escapes as
 * real bodies have: a few in a hundred characters.
 *
 * <p>Threading: as its random source.
 */
public final class ChatText {
    /** Which scripts a text mixes. */
    public enum Script {
        /** ASCII alone. */
        ENGLISH,
        /** Sentences in Latin with accents, Cyrillic, Chinese and emoji between the English ones. */
        MIXED
    }

    private static final String[] ENGLISH = {
        "Please read the following report and tell me which three changes matter most to our customers.",
        "The deployment failed again last night, after the second replica had been restarted by hand.",
        "I would answer \"yes\" to the first question, and \"not before spring\" to the second one.",
        "Consider what happens when two requests arrive at the same moment, from the same tenant, with the same prefix.",
        "A short summary is enough; nobody will read more than half a page of it.",
    };
    private static final String[] OTHERS = {
        "Für die Prüfung der Anträge genügt eine kürzere Begründung, sofern sie vollständig ist.",
        "Пожалуйста, прочитайте отчёт и назовите три самых важных изменения.",
        "请阅读以下报告，并告诉我哪三项变化对我们的客户最重要。",
        "That went well \uD83D\uDE80 \uD83C\uDF89, see you on Monday \uD83D\uDC4B",
    };
    private static final String[] LINES = {
        "\n", "\n\n", "\n- ", "\n1. ", "\n\tif (queue.isEmpty()) { return \"done\"; }\n", " ", " ", " ",
    };

    private final RandomGenerator random;
    private final Script script;

    public ChatText(RandomGenerator random, Script script) {
        this.random = random;
        this.script = script;
    }

    /** A text of that many UTF-16 characters, or one more where a pair would be cut. */
    public String characters(int count) {
        StringBuilder text = new StringBuilder(count + 256);
        while (text.length() < count) {
            boolean other = script == Script.MIXED && random.nextInt(2) == 0;
            text.append(other ? pick(OTHERS) : pick(ENGLISH)).append(pick(LINES));
        }
        boolean cutsPair = count > 0 && Character.isHighSurrogate(text.charAt(count - 1));
        text.setLength(cutsPair ? count + 1 : count);
        return text.toString();
    }

    private String pick(String... from) {
        return from[random.nextInt(from.length)];
    }
}
