package io.kvgate.policies.radix;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tree beside plain sets of the prefixes that each worker holds, under random steps; the seed is in every message. */
final class RadixTreeModelTest {
    /** Ends so that none is the beginning of another. */
    private static final List<String> SCOPES = List.of("", "\1s\2", "\1salt\2", "\1日本\2", "\1日旦\2");

    private static final List<String> ALPHABETS =
            List.of("ab", "éèa", "日旦本", "😀😁\uD83C\uDF00", "a\u07ffé日😀😁", "abcdefghijklmnopqrstuvwxyz");

    private static final int WORKERS = 5;

    private final TreeFixture fixture = new TreeFixture();
    private final Map<Worker, Set<String>> model = new HashMap<>();
    private final Map<Worker, String> latest = new HashMap<>();
    private String doing = "";

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void steps_random_agreeWithTheModel(long seed) {
        run(seed, 400);
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(longs = {101, 102, 103, 104, 105, 106, 107, 108})
    void steps_randomAndMany_agreeWithTheModel(long seed) {
        run(seed, 8_000);
    }

    private void run(long seed, int steps) {
        Random random = new Random(seed);
        String alphabet = ALPHABETS.get((int) (seed % ALPHABETS.size()));
        for (int step = 0; step < steps; step++) {
            Worker worker = fixture.fleet().worker(random.nextInt(WORKERS));
            Prompt prompt = prompt(random, alphabet);
            int dice = random.nextInt(100);
            doing = "seed " + seed + ", step " + step;
            if (dice < 55) {
                insert(prompt, worker);
            } else if (dice < 92) {
                match(prompt);
            } else if (dice < 97) {
                evict(random.nextInt(120));
            } else {
                fixture.tree.remove(worker);
                model.remove(worker);
                latest.remove(worker);
            }
            fixture.audit();
        }
        fixture.fleet().workers().forEach(fixture.tree::remove);
        assertThat(fixture.audit()).as(doing).isZero();
        assertThat(fixture.trees.bytes()).as(doing).isZero();
    }

    private static Prompt prompt(Random random, String alphabet) {
        int[] letters = alphabet.codePoints().toArray();
        int length = random.nextInt(4) == 0 ? random.nextInt(60) : random.nextInt(8);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(letters[random.nextInt(letters.length)]);
        }
        return Prompt.of(SCOPES.get(random.nextInt(8) < 5 ? 0 : random.nextInt(SCOPES.size())), text.toString());
    }

    private static String scope(Prompt prompt) {
        String all = new String(prompt.bytes(), 0, prompt.length(), StandardCharsets.UTF_8);
        return all.substring(0, all.length() - prompt.text().length());
    }

    private static Set<String> prefixes(String text) {
        Set<String> prefixes = new HashSet<>();
        for (int at = 0; at < text.length(); ) {
            at = text.offsetByCodePoints(at, 1);
            prefixes.add(text.substring(0, at));
        }
        return prefixes;
    }

    private void insert(Prompt prompt, Worker worker) {
        assertThat(fixture.tree.insert(prompt, worker)).as(doing).isTrue();
        String text = scope(prompt) + prompt.text();
        model.computeIfAbsent(worker, w -> new HashSet<>()).addAll(prefixes(text));
        latest.put(worker, text);
        assertThat(TreeAudit.held(fixture.tree, worker)).as(doing).isEqualTo(model.get(worker));
    }

    private void match(Prompt prompt) {
        String scope = scope(prompt);
        String text = scope + prompt.text();
        PrefixMatch match = fixture.tree.match(prompt);
        String longest = "";
        for (String prefix : prefixes(text)) {
            boolean held = model.values().stream().anyMatch(set -> set.contains(prefix));
            longest = held && prefix.length() > longest.length() ? prefix : longest;
        }
        int expected =
                Math.max(0, longest.codePointCount(0, longest.length()) - scope.codePointCount(0, scope.length()));
        assertThat(match.matchedCharacters()).as(doing).isEqualTo(expected);
        assertThat(match.totalCharacters()).as(doing).isEqualTo(prompt.codePoints());
        Set<Worker> holders = holders(longest);
        if (!longest.isEmpty()) {
            assertThat(owners(match)).as(doing).isEqualTo(holders);
            assertThat(holders).as(doing).contains(match.owner());
            widen(match, text, scope);
        }
        for (Worker worker : fixture.fleet().workers().subList(0, WORKERS)) {
            Set<String> held = model.getOrDefault(worker, Set.of());
            long own = prefixes(text).stream()
                    .filter(held::contains)
                    .filter(prefix -> prefix.length() > scope.length())
                    .count();
            assertThat((long) fixture.tree.matchOf(prompt, worker)).as(doing).isEqualTo(own);
        }
    }

    /** Each wider match is of a true prefix, and all its owners hold that much. */
    private void widen(PrefixMatch match, String text, String scope) {
        int owners = match.ownerCount();
        int matched = match.matchedCharacters();
        while (match.widen()) {
            assertThat(match.ownerCount()).as(doing).isGreaterThan(owners);
            assertThat(match.matchedCharacters()).as(doing).isBetween(0, matched);
            owners = match.ownerCount();
            matched = match.matchedCharacters();
            if (matched > 0) {
                String prefix = text.substring(0, text.offsetByCodePoints(scope.length(), matched));
                assertThat(holders(prefix)).as(doing).isEqualTo(owners(match));
            }
        }
    }

    private Set<Worker> holders(String prefix) {
        Set<Worker> holders = new HashSet<>();
        model.forEach((worker, held) -> {
            if (held.contains(prefix)) {
                holders.add(worker);
            }
        });
        return holders;
    }

    private static Set<Worker> owners(PrefixMatch match) {
        Set<Worker> owners = new HashSet<>();
        for (int i = 0; i < match.ownerCount(); i++) {
            owners.add(match.owner(i));
        }
        return owners;
    }

    /** Which edges go is the tree's business; what is left must be within the budget, held before, and the newest if it fits. */
    private void evict(int budget) {
        fixture.evict(budget);
        fixture.budget(TreeFixture.PLENTY);
        for (Map.Entry<Worker, Set<String>> entry : model.entrySet()) {
            Worker worker = entry.getKey();
            Set<String> before = entry.getValue();
            Set<String> held = TreeAudit.held(fixture.tree, worker);
            assertThat(fixture.tree.characters(worker)).as(doing).isLessThanOrEqualTo(budget);
            assertThat(before).as(doing).containsAll(held);
            String newest = latest.getOrDefault(worker, "");
            if (newest.codePointCount(0, newest.length()) <= budget && before.contains(newest)) {
                assertThat(held).as(doing).containsAll(prefixes(newest));
            }
            entry.setValue(held);
        }
    }
}
