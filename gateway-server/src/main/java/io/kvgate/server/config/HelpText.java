package io.kvgate.server.config;

import io.kvgate.server.config.ForeignFlag.Fate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The text of {@code --help}, made from the flags' definitions. */
final class HelpText {
    private static final int WIDTH = 100;
    private static final String INDENT = "      ";

    private HelpText() {}

    static String render(Set<String> policies) {
        StringBuilder text = new StringBuilder();
        text.append("Usage: kvgate [launch] [flags]\n\n");
        text.append(
                "A gateway in front of LLM engines: picks a replica for each request and streams its answer back.\n");
        for (FlagGroup group : FlagGroup.values()) {
            text.append('\n').append(group.title()).append(":\n");
            for (Flag<?> flag : CliOptions.ALL) {
                if (flag.group() == group) {
                    appendFlag(text, flag, policies);
                }
            }
        }
        text.append("\nOther:\n  --help, -h\n").append(INDENT).append("This text.\n");
        text.append("  ").append(String.join(", ", CommandLineParser.VERSION)).append('\n');
        text.append(INDENT).append("Version, Java and operating system.\n");
        text.append("  ").append(String.join(", ", CommandLineParser.BACKEND)).append(" sglang|vllm\n");
        text.append(INDENT).append("Taken without effect: each worker is asked what it is.\n");
        appendForeign(text, "Taken without effect", Fate.NO_EFFECT);
        appendForeign(text, "Known but not available yet; refused", Fate.NOT_YET);
        appendForeign(text, "Known but not offered; refused", Fate.NOT_OFFERED);
        return text.toString();
    }

    /** The help sentence of a flag, with what may be chosen and what holds by default. */
    static String sentence(Flag<?> flag, Set<String> policies) {
        String choices = flag.equals(CliOptions.POLICY) ? " One of: " + String.join(", ", policies) + "." : "";
        return flag.help() + choices;
    }

    private static void appendFlag(StringBuilder text, Flag<?> flag, Set<String> policies) {
        text.append("  ").append(flag.usage()).append('\n');
        String expected = flag.arity() == Flag.Arity.SWITCH || flag.equals(CliOptions.POLICY)
                ? ""
                : " Expected: " + flag.type().expected() + ".";
        String defaultText = flag.defaultText();
        String byDefault =
                flag.arity() == Flag.Arity.SWITCH || defaultText.isEmpty() ? "" : " Default: " + defaultText + ".";
        wrap(text, sentence(flag, policies) + expected + byDefault);
    }

    private static void appendForeign(StringBuilder text, String title, Fate fate) {
        Map<String, List<String>> namesByReason = new LinkedHashMap<>();
        for (ForeignFlag flag : ForeignFlag.ALL) {
            if (flag.fate() == fate) {
                namesByReason
                        .computeIfAbsent(flag.why(), why -> new ArrayList<>())
                        .add(flag.name());
            }
        }
        text.append('\n').append(title).append(":\n");
        namesByReason.forEach((why, names) -> {
            text.append("  ").append(why).append(":\n");
            wrap(text, String.join(" ", names));
        });
    }

    private static void wrap(StringBuilder text, String sentence) {
        int column = 0;
        for (String word : sentence.split(" ")) {
            if (column > 0 && column + 1 + word.length() > WIDTH) {
                text.append('\n');
                column = 0;
            }
            text.append(column == 0 ? INDENT : " ").append(word);
            column += (column == 0 ? INDENT.length() : 1) + word.length();
        }
        text.append('\n');
    }
}
