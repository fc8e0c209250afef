package io.kvgate.server.config;

import static io.kvgate.server.config.CommandLines.config;
import static io.kvgate.server.config.CommandLines.load;
import static io.kvgate.server.config.CommandLines.notes;
import static io.kvgate.server.config.CommandLines.problems;
import static io.kvgate.server.config.CommandLines.start;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigLoaderTest {
    private static final String KNOWN =
            "bucket, cache_aware, consistent_hashing, least_load, manual, power_of_two, prefix_hash,"
                    + " random, round_robin";

    private static List<String> urls(String... arguments) {
        return config(arguments).staticWorkers().stream()
                .map(worker -> worker.url().toString())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"launch", "start"})
    void load_withSubcommand(String subcommand) {
        assertThat(config(subcommand, "--port", "1").listen().port()).isEqualTo(1);
    }

    @Test
    void load_serverSubcommand_isRefusedWithReason() {
        assertThat(problems("server", "--port", "1")).singleElement().asString().contains("starts no engines");
    }

    @Test
    void load_secondSpellings() {
        assertThat(config("--log-json").log().json()).isTrue();
        assertThat(config("--load-monitor-interval", "7").registration().loadPollInterval())
                .hasSeconds(7);
    }

    @Test
    void load_bothSpellingsOfOneFlag_isGivenTwice() {
        assertThat(problems("--worker-startup-check-interval", "7", "--load-monitor-interval", "8"))
                .containsExactly("--worker-startup-check-interval: given twice (expected: once)");
    }

    @Test
    void load_valueAfterEquals() {
        assertThat(config("--port=5").listen().port()).isEqualTo(5);
    }

    @Test
    void load_negativeNumber_isAValue() {
        assertThat(config("--max-concurrent-requests", "-1").admission().maxConcurrentRequests())
                .isEqualTo(-1);
        assertThat(problems("--queue-size", "-1", "--max-concurrent-requests", "2"))
                .containsExactly("--queue-size: -1 (expected: a whole number, 0 or more)");
    }

    @Test
    void load_attachedValueThatLooksLikeAFlag_isTheValue() {
        assertThat(config("--api-key=--port").auth().apiKey()).isEqualTo("--port");
        assertThat(config("--api-key=-x=y").auth().apiKey()).isEqualTo("-x=y");
        assertThat(problems("--json-log=true")).containsExactly("--json-log: true (expected: no value)");
    }

    @Test
    void load_argumentFile_isNotExpanded() {
        assertThat(problems("@/etc/hostname")).singleElement().asString().contains("unexpected word");
    }

    @Test
    void load_everyProblem_isListed() {
        assertThat(problems(
                        "--port", "70000", "--policy", "nosuch", "--polic", "x", "--host", "a b", "--queue-size", "x"))
                .hasSize(5);
    }

    @Test
    void load_workerUrls_unionInOrder() {
        assertThat(urls("--worker-urls", "http://a:1", "http://b:2")).containsExactly("http://a:1", "http://b:2");
        assertThat(urls("--worker-urls", "http://a:1", "--port", "1", "--worker-urls", "http://b:2"))
                .containsExactly("http://a:1", "http://b:2");
        assertThat(urls("--worker-urls=http://a:1,http://b:2", "http://c:3"))
                .containsExactly("http://a:1", "http://b:2", "http://c:3");
        assertThat(urls("--worker-urls", "http://a:1 http://b:2")).containsExactly("http://a:1", "http://b:2");
    }

    @Test
    void load_workerUrls_duplicatesAreRemovedWithANote() {
        assertThat(urls("--worker-urls", "http://a:1", "a:1/")).containsExactly("http://a:1");
        assertThat(notes("--worker-urls", "http://a:1", "a:1/"))
                .anySatisfy(note -> assertThat(note).contains("http://a:1").contains("counts once"));
    }

    @Test
    void load_workerUrls_empty() {
        assertThat(urls("--worker-urls")).isEmpty();
        assertThat(urls("--worker-urls", "--port", "1")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:8001, http://127.0.0.1:8001",
        "http://w, http://w:80",
        "https://w, https://w:443",
        "HTTP://w:1/base/, http://w:1/base",
        "http://[::1]:8000, http://[::1]:8000"
    })
    void load_workerUrl_isNormalized(String given, String expected) {
        assertThat(urls("--worker-urls", given)).containsExactly(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://",
                "ftp://w:1",
                "http://w:0",
                "http://w:65536",
                "http://w:1?x=1",
                "http://w:1#x",
                "http://u:p@w:1",
                "http://w:x",
                "grpc://w:1",
                "grpcs://w:1"
            })
    void load_badWorkerUrl_isRefused(String given) {
        assertThat(problems("--worker-urls", given))
                .singleElement()
                .asString()
                .startsWith("--worker-urls: ")
                .contains("expected: ")
                .doesNotContain("u:p");
    }

    @ParameterizedTest
    @CsvSource({"localhost, localhost", "gateway.example, gateway.example", "10.0.0.1, 10.0.0.1", "::, ::", "[::1], ::1"
    })
    void load_host_takesNamesAndAddresses(String given, String expected) {
        assertThat(config("--host", given).listen().host()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "host:80", "http://host", "300.1.1.1", "1.2.3", "[::1", ":::", "", "-x.example"})
    void load_badHost_isRefused(String given) {
        assertThat(problems("--host=" + given)).singleElement().asString().startsWith("--host: ");
        assertThat(problems("--prometheus-host=" + given))
                .singleElement()
                .asString()
                .startsWith("--prometheus-host: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kv_aware", "KvAware"})
    void load_laterPolicy_isRefusedWithTheKnownOnes(String policy) {
        assertThat(problems("--policy", policy))
                .containsExactly("--policy: " + policy + ", which is not there yet (expected: " + KNOWN + ")");
    }

    @Test
    void load_unknownPolicy_listsTheKnownOnes() {
        assertThat(problems("--policy", "nosuch")).containsExactly("--policy: nosuch (expected: " + KNOWN + ")");
    }

    /** Vectors G1 and G2. */
    @ParameterizedTest
    @CsvSource({
        "RoundRobin,round_robin",
        "CACHE_AWARE,cache_aware",
        "poweroftwo,power_of_two",
        "prefixhash,prefix_hash",
        "consistentHashing,consistent_hashing",
        "Manual,manual"
    })
    void load_policyName_isTakenInAnyCaseAndWithoutUnderscores(String given, String policy) {
        assertThat(config("--policy", given).routing().policy()).isEqualTo(policy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"round-robin", "foo", "roundrobin ", "passthrough"})
    void load_otherPolicyName_isRefused(String given) {
        assertThat(problems("--policy", given))
                .singleElement()
                .asString()
                .startsWith("--policy: " + given + " (expected: ");
    }

    @Test
    void load_powerOfTwoOnAFixedFleetOfOne_isRefused() {
        assertThat(problems("--policy", "power_of_two", "--worker-urls", "http://a:1"))
                .containsExactly(
                        "--policy: power_of_two (expected: at least 2 workers in --worker-urls, or none yet; there is"
                                + " 1)");
        assertThat(config("--policy", "power_of_two", "--worker-urls", "http://a:1", "http://b:1")
                        .staticWorkers())
                .hasSize(2);
        assertThat(config("--policy", "power_of_two").staticWorkers()).isEmpty();
    }

    @Test
    void load_noKeyOnOpenAddress_isNoted() {
        assertThat(notes()).singleElement().asString().startsWith("--api-key: none set");
        assertThat(notes("--host", "127.0.0.1")).isEmpty();
        assertThat(notes("--host", "localhost")).isEmpty();
        assertThat(notes("--host", "::1")).isEmpty();
        assertThat(notes("--api-key", "k")).isEmpty();
    }

    @Test
    void load_flagsWithoutEffect_areNoted() {
        assertThat(notes("--host", "::1", "--disable-retries", "--retry-max-retries", "3"))
                .containsExactly("--retry-max-retries: no effect with --disable-retries");
        assertThat(notes("--host", "::1", "--queue-size", "3"))
                .containsExactly("--queue-size: no effect without --max-concurrent-requests");
        assertThat(notes("--host", "::1", "--disable-health-check", "--health-check-endpoint", "/x"))
                .containsExactly("--health-check-endpoint: no effect with --disable-health-check");
        assertThat(notes("--host", "::1", "--disable-circuit-breaker", "--cb-window-duration-secs", "3"))
                .containsExactly("--cb-window-duration-secs: no effect with --disable-circuit-breaker");
        assertThat(notes("--host", "::1", "--request-timeout-secs", "3", "--stream-idle-timeout-secs", "4"))
                .containsExactly(
                        "--stream-idle-timeout-secs: no effect as --request-timeout-secs ends the request first");
    }

    @Test
    void load_secrets_areNeverShown() {
        CommandLineOutcome.Start start = start(
                "--api-key", "TOPSECRET", "--control-plane-api-keys", "a:Ann:admin:TOPSECRET2", "--worker-urls", "w:1");
        assertThat(String.join(" ", start.effective())
                        + start.notes()
                        + start.config().auth())
                .doesNotContain("TOPSECRET")
                .contains("--api-key=set");
        assertThat(problems("--api-key", "TOP SECRET", "--control-plane-api-keys", "a:Ann:root:TOPSECRET")
                        .toString())
                .doesNotContain("SECRET");
    }

    @Test
    void load_effectiveValues_nameEveryFlag() {
        assertThat(start("--port", "1234").effective())
                .hasSize(CliOptions.ALL.size())
                .contains("--port=1234", "--queue-timeout-secs=60", "--policy=cache_aware");
    }

    @Test
    void load_help_namesEveryFlagAndPolicy() {
        CommandLineOutcome outcome = load("--help", "--port", "wrong");
        assertThat(outcome).isInstanceOf(CommandLineOutcome.Print.class);
        String help = ((CommandLineOutcome.Print) outcome).text();
        CommandLineParser.knownNames()
                .forEach(name -> assertThat(help).containsPattern("(?m)(^| )" + name + "(,| |$)"));
        CommandLines.POLICIES.forEach(policy -> assertThat(help).contains(policy));
        assertThat(help.lines().mapToInt(String::length).max().orElseThrow()).isLessThanOrEqualTo(140);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "-V", "--version-verbose"})
    void load_version(String flag) {
        assertThat(load(flag)).isEqualTo(new CommandLineOutcome.Print("kvgate 1.2.3 (Java 17, Linux amd64)\n"));
    }

    @Test
    void flags_haveDistinctNames() {
        assertThat(CommandLineParser.knownNames()).doesNotHaveDuplicates();
    }
}
