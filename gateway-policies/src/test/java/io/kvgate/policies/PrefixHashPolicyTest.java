package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.metrics.GatewayMeter;
import io.kvgate.core.request.Prompt;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows PH1 to PH14. */
final class PrefixHashPolicyTest extends LoadBalancingPolicyContract {
    private static final String[] BRANCHES = {
        "no_healthy_workers", "ring_hit", "load_balance_walk", "fallback_least_load"
    };

    @Override
    protected PolicyConfig config() {
        return ofFirst(256);
    }

    private static PolicyConfig ofFirst(int tokens) {
        return new PolicyConfig.PrefixHash(tokens, 1.25);
    }

    /** {@code 1..10}, {@code 1 2 3} or nothing. */
    private static Prompt tokens(@Nullable String text) {
        if (text == null) {
            return Prompt.NONE;
        }
        int dots = text.indexOf("..");
        return dots < 0
                ? Prompt.ofTokens(Stream.of(text.split(" "))
                        .mapToInt(Integer::parseUnsignedInt)
                        .toArray())
                : Prompt.ofTokens(IntStream.rangeClosed(
                                Integer.parseInt(text.substring(0, dots)), Integer.parseInt(text.substring(dots + 2)))
                        .toArray());
    }

    @ParameterizedTest(name = "{0}: workers {1}, first {2} of tokens {3} -> {4} {5}")
    @CsvSource({
        "PH1,  '',          256, 1,          -, no_healthy_workers",
        "PH1,  A!U B!U C!U, 256, 1,          -, no_healthy_workers",
        "PH3,  A B C,       256, 1..10,      B, ring_hit",
        "PH4,  A B C,       4,   1 2 3 4,    C, ring_hit",
        "PH4,  A B C,       4,   1 2 3 4 99, C, ring_hit",
        "PH4,  A B C,       5,   1 2 3 4 99, A, ring_hit",
        "PH5,  A B C,       256, 0..299,     B, ring_hit",
        "PH5,  A B C,       256, 0..255,     B, ring_hit",
        "C,    A B C,       300, 0..256,     A, ring_hit",
        "C,    A B C,       256, 101 102 103, B, ring_hit",
        "PH8,  A=2 B=5 C=2, 256, 1..10,      A, load_balance_walk",
        "PH9,  A B=1 C,     256, 1..10,      A, load_balance_walk",
        "PH10, A B=1,       256, 1..10,      B, ring_hit",
        "PH11, A B!U C,     256, 1..10,      A, ring_hit",
        "PH12, A=3 B=1 C=2, 256, ,           B, fallback_least_load",
        "PH13, A B C,       256, 0,          C, ring_hit",
        "PH13, A B C,       256, 4294967295, A, ring_hit"
    })
    void select_row(ArgumentsAccessor row) {
        PolicyScene scene =
                new PolicyScene(ofFirst(requireNonNull(row.getInteger(2))), requireNonNull(row.getString(1)));
        assertThat(scene.prompt(tokens(row.getString(3)))).isEqualTo(row.getString(4));
        assertThat(scene.reason()).isEqualTo(row.getString(5));
        assertThat(scene.branches(GatewayMeter.PREFIX_HASH_BRANCH, BRANCHES))
                .containsExactly(Map.entry(requireNonNull(row.getString(5)), 1L));
    }

    @Test
    void select_nothingToHash_leastLoadedEvenly() {
        // PH2 and PH14: the reference fails here.
        PolicyScene scene = new PolicyScene(config(), "A B=1 C");
        Map<String, Integer> shares = scene.shares(2_000);
        assertThat(shares).containsOnlyKeys("A", "C");
        assertThat(shares.get("A")).isBetween(900, 1_100);
        assertThat(scene.prompt(Prompt.of("salt", ""))).isNotEqualTo(PolicyScene.NOTHING);
        assertThat(scene.reason()).isEqualTo("fallback_least_load");
    }

    @Test
    void select_textOnly_itsBeginningDecides() {
        PolicyScene scene = new PolicyScene(ofFirst(4), "A B C D E F");
        String prefix = "0123456789abcdef";
        String owner = scene.prompt(Prompt.ofText(prefix));
        assertThat(scene.reason()).isEqualTo("ring_hit");
        for (int i = 0; i < 50; i++) {
            assertThat(scene.prompt(Prompt.ofText(prefix + i))).isEqualTo(owner);
        }
    }

    @Test
    void select_textsWithOtherBeginnings_areSpread() {
        PolicyScene scene = new PolicyScene(config(), "A B C");
        int[] chosen = new int[3];
        for (int i = 0; i < 3_000; i++) {
            chosen["ABC".indexOf(scene.prompt(Prompt.ofText("user " + i)))]++;
        }
        assertThat(IntStream.of(chosen).boxed()).allMatch(count -> count > 700 && count < 1_400);
    }

    @Test
    void select_sameTextOtherScope_isAnotherPrefix() {
        PolicyScene scene = new PolicyScene(config(), "A B C D E F");
        long owners = IntStream.range(0, 40)
                .mapToObj(i -> scene.prompt(Prompt.of("salt-" + i, "the same text")))
                .distinct()
                .count();
        assertThat(owners).isGreaterThan(3);
    }

    @Test
    void select_prefixCutsACodePoint_isNoMatter() {
        PolicyScene scene = new PolicyScene(ofFirst(1), "A B C");
        assertThat(scene.prompt(Prompt.ofText("a😀b"))).isEqualTo(scene.prompt(Prompt.ofText("a😀c")));
    }

    @Test
    void select_ownerOverloaded_equalsAreTakenClockwise() {
        // The order of 1..10 is B A C, that of 101 102 103 is B C A.
        PolicyScene scene = new PolicyScene(config(), "A=2 B=9 C=2");
        assertThat(scene.prompt(tokens("1..10"))).isEqualTo("A");
        assertThat(scene.prompt(tokens("101 102 103"))).isEqualTo("C");
    }

    @Test
    void select_membershipChanges_theRingFollows() {
        PolicyScene scene = new PolicyScene(config(), "A B C");
        assertThat(scene.prompt(tokens("1..10"))).isEqualTo("B");
        scene.remove("B");
        assertThat(scene.prompt(tokens("1..10"))).isEqualTo("A");
        scene.add("B");
        assertThat(scene.prompt(tokens("1..10"))).isEqualTo("B");
    }

    @Test
    void needsPrompt_yes() {
        assertThat(new PolicyScene(config(), "A").policy().needsPrompt()).isTrue();
    }
}
