package io.kvgate.server.config;

import static io.kvgate.server.config.CommandLines.config;
import static io.kvgate.server.config.CommandLines.notes;
import static io.kvgate.server.config.CommandLines.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.policies.PolicyConfig;
import io.kvgate.policies.PolicyConfig.Manual.AssignmentMode;
import io.kvgate.policies.PolicySettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PolicyOptionsTest {
    private static final Duration MAX_AGE = Duration.ofSeconds(75);

    private static PolicySettings policies(String... arguments) {
        return config(arguments).routing().policies();
    }

    @Test
    void policySettings_defaults() {
        assertThat(policies()).isEqualTo(PolicySettings.DEFAULT);
        assertThat(policies().cacheAware())
                .isEqualTo(new PolicyConfig.CacheAware(0.3, 2_048, 64, 1.5, Duration.ofSeconds(60), 0, MAX_AGE));
        assertThat(policies().manual())
                .isEqualTo(new PolicyConfig.Manual(
                        Duration.ofSeconds(60), Duration.ofHours(4), AssignmentMode.RANDOM, 1_000_000));
        assertThat(policies().bucket()).isEqualTo(new PolicyConfig.Bucket(64, 1.5, Duration.ofSeconds(5)));
        assertThat(policies().prefixHash()).isEqualTo(new PolicyConfig.PrefixHash(256, 1.25));
        assertThat(policies().consistentHashing()).isEqualTo(new PolicyConfig.ConsistentHashing(0));
    }

    @Test
    void policySettings_explicit() {
        PolicySettings set = policies(
                "--cache-threshold=0.5",
                "--cache-saved-characters=100",
                "--balance-abs-threshold=32",
                "--balance-rel-threshold=1.1",
                "--eviction-interval=30",
                "--max-tree-size=10000",
                "--bucket-adjust-interval-secs=7",
                "--max-idle-secs=8",
                "--assignment-mode=min_group",
                "--max-routing-keys=9",
                "--max-load-skew=1.5",
                "--prefix-token-count=10",
                "--prefix-hash-load-factor=2",
                "--worker-startup-check-interval=10");
        Duration maxAge = Duration.ofSeconds(25);
        assertThat(set)
                .isEqualTo(new PolicySettings(
                        new PolicyConfig.PowerOfTwo(maxAge),
                        new PolicyConfig.LeastLoad(maxAge),
                        new PolicyConfig.CacheAware(0.5, 100, 32, 1.1, Duration.ofSeconds(30), 10_000, maxAge),
                        new PolicyConfig.Bucket(32, 1.1, Duration.ofSeconds(7)),
                        new PolicyConfig.Manual(
                                Duration.ofSeconds(30), Duration.ofSeconds(8), AssignmentMode.MIN_GROUP, 9),
                        new PolicyConfig.ConsistentHashing(1.5),
                        new PolicyConfig.PrefixHash(10, 2)));
    }

    @Test
    void cacheThreshold_alone_isTheReferencesRule() {
        assertThat(policies("--cache-threshold", "0.5").cacheAware().savedCharacters())
                .isZero();
        assertThat(policies("--cache-threshold", "0.5", "--cache-saved-characters", "7")
                        .cacheAware()
                        .savedCharacters())
                .isEqualTo(7);
        assertThat(policies("--balance-abs-threshold", "2").cacheAware().savedCharacters())
                .isEqualTo(2_048);
    }

    /** Vector G7, and what may be 0. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "--cache-threshold=0",
                "--cache-threshold=1",
                "--balance-rel-threshold=1.0",
                "--balance-abs-threshold=0",
                "--max-tree-size=0",
                "--max-tree-size=67108864",
                "--max-idle-secs=0",
                "--max-load-skew=0",
                "--max-load-skew=1",
                "--prefix-hash-load-factor=1",
                "--bucket-adjust-interval-secs=1",
                "--assignment-mode=MIN-LOAD"
            })
    void load_edge_isTaken(String argument) {
        assertThat(config(argument)).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cache-threshold=1.01 | --cache-threshold: 1.01 (expected: a number, 0 to 1)",
                "--cache-threshold=NaN | --cache-threshold: NaN (expected: a number, 0 to 1)",
                "--cache-threshold=-0.1 | --cache-threshold: -0.1 (expected: a number, 0 to 1)",
                "--cache-saved-characters=-1 | --cache-saved-characters: -1 (expected: a whole number, 0 or more)",
                "--balance-abs-threshold=-1 | --balance-abs-threshold: -1 (expected: a whole number, 0 or more)",
                "--balance-rel-threshold=0.99 | --balance-rel-threshold: 0.99 (expected: a number, 1 or more)",
                "--balance-rel-threshold=NaN | --balance-rel-threshold: NaN (expected: a number, 1 or more)",
                "--balance-rel-threshold=Infinity | --balance-rel-threshold: Infinity (expected: a number, 1 or more)",
                "--eviction-interval-secs=0 | --eviction-interval-secs: 0 (expected: seconds, at least 0.001, fractions allowed)",
                "--eviction-interval=0 | --eviction-interval-secs: 0 (expected: seconds, at least 0.001, fractions allowed)",
                "--max-tree-size=-1 | --max-tree-size: -1 (expected: a whole number, 0 or more)",
                "--max-tree-size=1.5 | --max-tree-size: 1.5 (expected: a whole number, 0 or more)",
                "--max-idle-secs=-1 | --max-idle-secs: -1 (expected: seconds, 0 or more, fractions allowed)",
                "--assignment-mode=best | --assignment-mode: best (expected: random, min_load, min_group)",
                "--prefix-token-count=0 | --prefix-token-count: 0 (expected: a whole number, 1 or more)",
                "--prefix-hash-load-factor=0.9 | --prefix-hash-load-factor: 0.9 (expected: a number, 1 or more)",
                "--prefix-hash-load-factor=inf | --prefix-hash-load-factor: inf (expected: a number, 1 or more)",
                "--bucket-adjust-interval-secs=0.5 | --bucket-adjust-interval-secs: 0.5 (expected: seconds, 1 or more,"
                        + " fractions allowed)",
                "--max-load-skew=0.5 | --max-load-skew: 0.5 (expected: 0, or a number, 1 or more)",
                "--max-load-skew=NaN | --max-load-skew: NaN (expected: 0, or a number, 1 or more)",
                "--max-routing-keys=0 | --max-routing-keys: 0 (expected: a whole number, 1 or more)",
            })
    void load_badValue_isRefusedWithOneLine(String argument, String problem) {
        assertThat(problems(argument)).containsExactly(problem);
    }

    @Test
    void load_severalBadValues_areAllListed() {
        assertThat(problems("--cache-threshold=2", "--max-load-skew=inf", "--prefix-token-count=x"))
                .hasSize(3);
    }

    @Test
    void load_flagOfAnotherPolicy_isNoted() {
        assertThat(notes("--host=::1", "--policy=random", "--cache-threshold=0.5", "--max-idle-secs=5"))
                .containsExactly(
                        "--cache-threshold: no effect with the policy random, unless a worker's label names another",
                        "--max-idle-secs: no effect with the policy random, unless a worker's label names another");
        assertThat(notes("--host=::1", "--policy=cache_aware", "--cache-threshold=0.5"))
                .isEmpty();
        assertThat(notes("--host=::1", "--policy=bucket", "--balance-abs-threshold=5"))
                .isEmpty();
        assertThat(notes("--host=::1", "--policy=manual", "--eviction-interval=5"))
                .isEmpty();
    }
}
