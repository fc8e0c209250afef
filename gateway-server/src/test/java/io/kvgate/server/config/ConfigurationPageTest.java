package io.kvgate.server.config;

import static io.kvgate.server.config.DocumentationPage.cell;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.policies.PolicySettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/configuration.md} is made from the flags' definitions. */
final class ConfigurationPageTest {
    private static final String INTRODUCTION = """

            The command line is `kvgate [launch] [flags]`. Flags are spelled as in `sglang_router`, and where its two launchers differ,
            both spellings work. Lists take any number of values and may be repeated; `--flag=value` works too. Times are in seconds and take
            fractions. A problem stops the start with exit code 2, and all problems are listed at once. The values in force are
            logged at start, secrets as `set`.
            """;

    @Test
    void page_agreesWithTheFlags() throws IOException {
        DocumentationPage.check("configuration.md", page());
    }

    @Test
    void defaultPolicy_isKnown() {
        assertThat(PolicySettings.names()).contains(RoutingConfig.DEFAULT.policy());
    }

    private static String page() {
        StringBuilder page = new StringBuilder("# Configuration\n");
        page.append(DocumentationPage.generatedBy(ConfigurationPageTest.class)).append(INTRODUCTION);
        for (FlagGroup group : FlagGroup.values()) {
            page.append("\n## ").append(group.title()).append("\n\n");
            page.append("| flag | value | default | |\n|---|---|---|---|\n");
            for (Flag<?> flag : CliOptions.ALL) {
                if (flag.group() == group) {
                    appendFlag(page, flag);
                }
            }
        }
        page.append("\n## Other flags\n\n");
        page.append("""
                `--help` lists all flags; `--version` tells version, Java and operating system. `--backend` (`--runtime`) takes
                `sglang` and `vllm` without effect, as each worker is asked what it is.
                """);
        appendForeign(page, "Taken without effect", ForeignFlag.Fate.NO_EFFECT);
        appendForeign(page, "Not available yet; refused", ForeignFlag.Fate.NOT_YET);
        appendForeign(page, "Not offered; refused", ForeignFlag.Fate.NOT_OFFERED);
        return page.toString();
    }

    private static void appendFlag(StringBuilder page, Flag<?> flag) {
        String names = flag.names().stream().map(name -> "`" + name + "`").collect(Collectors.joining(" "));
        boolean isSwitch = flag.arity() == Flag.Arity.SWITCH;
        String value = isSwitch ? "" : flag.type().expected();
        if (flag.equals(CliOptions.POLICY)) {
            value = String.join(", ", PolicySettings.names());
        }
        String defaultText = isSwitch ? "off" : flag.defaultText();
        page.append("| ").append(names);
        page.append(" | ").append(cell(value));
        page.append(" | ").append(defaultText.isEmpty() ? "" : "`" + defaultText + "`");
        page.append(" | ").append(cell(flag.help())).append(" |\n");
    }

    private static void appendForeign(StringBuilder page, String title, ForeignFlag.Fate fate) {
        Map<String, List<String>> namesByReason = new LinkedHashMap<>();
        for (ForeignFlag flag : ForeignFlag.ALL) {
            if (flag.fate() == fate) {
                namesByReason
                        .computeIfAbsent(flag.why(), why -> new ArrayList<>())
                        .add("`" + flag.name() + "`");
            }
        }
        page.append("\n### ").append(title).append("\n\n| flags | |\n|---|---|\n");
        namesByReason.forEach((why, names) -> page.append("| ")
                .append(String.join(" ", names))
                .append(" | ")
                .append(cell(why))
                .append(" |\n"));
    }
}
