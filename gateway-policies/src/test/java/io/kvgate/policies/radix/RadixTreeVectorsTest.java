package io.kvgate.policies.radix;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.Worker;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rows on the tree, by their numbers. Steps are done in order: {@code text→W} inserts, {@code ⊢} asks, {@code ε} is the empty text. */
final class RadixTreeVectorsTest {
    private static final Pattern INSERT = Pattern.compile("(.*)→([A-Z])");
    private static final Pattern MATCH = Pattern.compile("match (.*) ⊢ (.*)");
    private static final Pattern COUNT = Pattern.compile("count ([A-Z]) ⊢ (\\d+)");
    private static final Pattern MATCH_OF = Pattern.compile("match of ([A-Z]) (.*) ⊢ (\\d+)");
    private static final Pattern REMOVE = Pattern.compile("remove ([A-Z])");
    private static final Pattern EVICT = Pattern.compile("evict (\\d+)");

    private final TreeFixture fixture = new TreeFixture();

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            TR1  | match zz ⊢ empty 0/2
            TR2  | ε→A ; match ε ⊢ A 0/0 ; match zz ⊢ A 0/2 ; count A ⊢ 0
            TR3  | alpha beta gamma→A ; match alpha beta ⊢ A 10/10 ; match alpha beta delta ⊢ A 11/16
            TR4  | alpha beta gamma→A ; alpha beta delta→B ; count A ⊢ 16 ; count B ⊢ 16 ; match alpha beta ⊢ A 10/10 ; match alpha beta gamma ⊢ A 16/16 ; match alpha beta delta ⊢ B 16/16
            TR6  | x😀y→A ; x😁y→B ; count A ⊢ 3 ; count B ⊢ 3
            TR7  | café→A ; match cafe\u0301 ⊢ A 3/5
            TR8  | 日本語テスト→A ; 日本人→B ; count A ⊢ 6 ; count B ⊢ 3 ; match 日本語 ⊢ A 3/3 ; match 日本 ⊢ A 2/2
            TR10 | abcdefgh→A ; abcdef→B ; abcd→C ; ab→D ; count A ⊢ 8 ; count B ⊢ 6 ; count C ⊢ 4 ; count D ⊢ 2 ; match abcdefgh ⊢ A 8/8 ; match abcd ⊢ A 4/4 ; match ab ⊢ A 2/2 ; match abq ⊢ A 2/3
            TR11 | shared-x→A ; shared-y→B ; remove A ; count A ⊢ 0 ; count B ⊢ 8 ; match shared-x ⊢ B 7/8
            TR12 | same→A ; same→B ; match same ⊢ A 4/4 ; remove A ; match same ⊢ B 4/4
            TR15 | hello→T ; evict 5 ; count T ⊢ 5 ; evict 4 ; count T ⊢ 0 ; match hello ⊢ T 0/5
            TR16 | aaa→T ; bbb→T ; aaa→T ; evict 3 ; count T ⊢ 3 ; match aaa ⊢ T 3/3 ; match bbb ⊢ T 0/3
            TR23 | remove Z ; evict 1 ; match zz ⊢ empty 0/2 ; count Z ⊢ 0
            TR24 | old→A ; remove A ; new→A ; count A ⊢ 3
            TR26 | alpha beta gamma→A ; alpha beta delta→B ; match of B alpha beta gamma ⊢ 11 ; match of A alpha beta gamma ⊢ 16
            """)
    void row_steps_giveWhatTheTableSays(String row, String steps) {
        for (String step : steps.split(" ; ")) {
            run(row, step.strip());
            fixture.audit();
        }
    }

    private void run(String row, String step) {
        Matcher count = COUNT.matcher(step);
        Matcher of = MATCH_OF.matcher(step);
        Matcher match = MATCH.matcher(step);
        Matcher remove = REMOVE.matcher(step);
        Matcher evict = EVICT.matcher(step);
        Matcher insert = INSERT.matcher(step);
        if (count.matches()) {
            assertThat(fixture.count(letter(count, 1))).as("%s, %s", row, step).isEqualTo(number(count, 2));
        } else if (of.matches()) {
            int found = fixture.tree.matchOf(Prompt.ofText(of.group(2)), fixture.worker(letter(of, 1)));
            assertThat(found).as("%s, %s", row, step).isEqualTo(number(of, 3));
        } else if (match.matches()) {
            String answer = fixture.answer(fixture.match(textOf(match.group(1))));
            assertThat(answer).as("%s, %s", row, step).isEqualTo(match.group(2));
        } else if (remove.matches()) {
            fixture.remove(letter(remove, 1));
        } else if (evict.matches()) {
            fixture.evict(number(evict, 1));
        } else if (insert.matches()) {
            fixture.insert(textOf(insert.group(1)), letter(insert, 2));
        } else {
            throw new IllegalArgumentException("step: " + step + " (expected: one of the forms above)");
        }
    }

    private static String textOf(String text) {
        return text.equals("ε") ? "" : text;
    }

    private static char letter(Matcher matcher, int group) {
        return matcher.group(group).charAt(0);
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }

    @Test
    void tr18_sameTextAThousandTimes_isCountedOnce() {
        for (int i = 0; i < 1_000; i++) {
            fixture.insert("dup", 'A');
        }
        assertThat(fixture.count('A')).isEqualTo(3);
        assertThat(fixture.audit()).isEqualTo(1);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.SECONDS)
    void tr19_aMillionCharacters_matchWithoutAStack() {
        String text = "z".repeat(1_000_000);
        fixture.insert(text, 'A');
        assertThat(fixture.answer(fixture.match(text + "!"))).isEqualTo("A 1000000/1000001");
    }

    @Test
    void tr25_everyClassOfCodePoint_matchesItself() {
        String text = "\0\u007f\u0080\u07ff\u0800\uffff" + Character.toString(0x1_0000) + Character.toString(0x10_ffff);
        Worker owner = fixture.worker('A');
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            fixture.insert(text.substring(i), 'A');
        }
        fixture.audit();
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            String part = text.substring(i);
            int points = part.codePointCount(0, part.length());
            assertThat(fixture.tree.matchOf(Prompt.ofText(part), owner)).isEqualTo(points);
            assertThat(fixture.match(part).totalCharacters()).isEqualTo(points);
        }
    }
}
