package io.kvgate.server.routing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class UsageScannerTest {
    private static final long SEED = 20_261_129L;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> NAMES =
            List.of("prompt_tokens", "completion_tokens", "cached_tokens", "input_tokens", "output_tokens");

    /** What a scanner has found. */
    private record Counts(long prompt, long completion, long cached) {
        static Counts of(UsageScanner scanner) {
            return new Counts(scanner.prompt(), scanner.completion(), scanner.cached());
        }
    }

    private static Counts scan(byte[] whole, int... cuts) {
        UsageScanner scanner = new UsageScanner();
        int from = 0;
        for (int i = 0; i <= cuts.length; i++) {
            int to = i == cuts.length ? whole.length : cuts[i];
            if (to > from) {
                // Behind bytes of something else, as in a chunk.
                ByteBuf buf = Unpooled.buffer();
                buf.writeBytes("7\":9,\r\n".getBytes(UTF_8)).writeBytes(Arrays.copyOfRange(whole, from, to));
                buf.writeBytes("_tokens\":99,".getBytes(UTF_8));
                scanner.payload(buf, 7, to - from);
                buf.release();
            }
            from = to;
        }
        return Counts.of(scanner);
    }

    private static void assertAtEveryCut(String text, Counts expected) {
        byte[] whole = text.getBytes(UTF_8);
        for (int cut = 0; cut <= whole.length; cut++) {
            assertThat(scan(whole, cut)).as("cut at %s of %s", cut, text).isEqualTo(expected);
        }
        assertThat(scan(whole, everyByte(whole.length))).as("byte by byte").isEqualTo(expected);
    }

    private static int[] everyByte(int length) {
        int[] cuts = new int[length];
        Arrays.setAll(cuts, i -> i);
        return cuts;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"usage\":{\"prompt_tokens\":30,\"completion_tokens\":9,"
                        + "\"prompt_tokens_details\":{\"cached_tokens\":16}}}",
                "{\"usage\" : { \"input_tokens\" : 30 , \"output_tokens\" : 9 , \"x\":{ \"cached_tokens\": 16 } } }",
                "{\"usage\":{\n  \"prompt_tokens\"\n:\t30\r\n,  \"completion_tokens\":\n9\n},\"cached_tokens\" :16\n}",
                "{\"meta_info\":{\"prompt_tokens\":30,\"completion_tokens\":9,\"cached_tokens\":16}}",
            })
    void payload_usageInAnyForm_isFound(String json) {
        assertAtEveryCut(json, new Counts(30, 9, 16));
    }

    @ParameterizedTest
    @CsvSource({"'data: ','\n'", "'data:','\n'", "'data: ','\r\n'", "'data:','\r\n'", "'data: ','\r'"})
    void report004_anyLineEndAndSpace_countTheSame(String field, String lineEnd) {
        String stream =
                field + "{\"choices\":[{\"delta\":{\"content\":\"one\"}}],\"usage\":null}" + lineEnd + lineEnd + field
                        + "{\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,\"total_tokens\":7}}"
                        + lineEnd
                        + lineEnd + field + "[DONE]" + lineEnd + lineEnd;
        assertAtEveryCut(stream, new Counts(5, 2, -1));
    }

    @Test
    void report006_lastEventWithoutLineEnd_isCounted() {
        assertAtEveryCut(
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2,\"total_tokens\":7}}",
                new Counts(5, 2, -1));
    }

    @Test
    void report008_unicodeLineSeparatorsInText_changeNothing() {
        assertAtEveryCut(
                "data: {\"content\":\"a\u2028b\u2029c\u0085d\fe\u000bf\",\"usage\":{\"prompt_tokens\":5}}\n\n",
                new Counts(5, -1, -1));
    }

    @Test
    void report009_longLine_isScannedInPieces() {
        String line = "data: {\"logprobs\":[" + "{\"token\":\"a_b\",\"logprob\":-0.125},".repeat(90_000)
                + "0],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n";
        byte[] whole = line.getBytes(UTF_8);
        assertThat(whole.length).isGreaterThan(2 << 20);
        int[] cuts = new int[whole.length / 8_192];
        Arrays.setAll(cuts, i -> 8_192 * (i + 1));
        assertThat(scan(whole, cuts)).isEqualTo(new Counts(5, 2, -1));
    }

    @Test
    void report176_usageInParts_isMergedNotReplacedNorDoubled() {
        assertAtEveryCut(
                usageEvent("{\"prompt_tokens\":30}") + usageEvent("null") + usageEvent("{\"completion_tokens\":1}")
                        + usageEvent("{\"completion_tokens\":9}") + usageEvent("{\"completion_tokens\":9}")
                        + "data: [DONE]\n\n",
                new Counts(30, 9, -1));
    }

    private static String usageEvent(String usage) {
        return "data: {\"usage\":" + usage + "}\n\n";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"content\":\"\\\"prompt_tokens\\\":77,\"}",
                "{\"content\":\"prompt_tokens: 77,\"}",
                "{\"content\":\"prompt_tokens\",\"n\":77}",
                "{\"my_prompt_tokens\":77,\"prompt_tokens_x\":77,\"xprompt_tokens\":77}",
                "{\"reasoning_tokens\":77,\"total_tokens\":77,\"tokens\":77,\"_tokens\":77}",
                "{\"prompt_tokens\":null,\"completion_tokens\":\"77\",\"cached_tokens\":[77]}",
                "{\"prompt_tokens\":-77,\"completion_tokens\":{\"a\":77},\"cached_tokens\":true}",
                "{\"prompt_tokens\":7.5,\"completion_tokens\":7e1,\"cached_tokens\":1234567890123456789012}",
                "[\"prompt_tokens\",77,\"completion_tokens\"]",
            })
    void payload_whatOnlyLooksLikeIt_isNotCounted(String json) {
        assertAtEveryCut(json, new Counts(-1, -1, -1));
    }

    @Test
    void payload_numberCutOffAtTheEnd_isNotTakenForAWholeOne() {
        assertAtEveryCut("{\"prompt_tokens\":12", new Counts(-1, -1, -1));
    }

    @Test
    void payload_largestCountsSeen_areKept() {
        assertAtEveryCut("{\"prompt_tokens\":7,\"input_tokens\":5} {\"prompt_tokens\":6}", new Counts(7, -1, -1));
        assertAtEveryCut("{\"prompt_tokens\":0}", new Counts(0, -1, -1));
        assertAtEveryCut("{\"cached_tokens\":99999999999999999}", new Counts(-1, -1, 99_999_999_999_999_999L));
    }

    @Test
    void payload_randomAnswersInRandomPieces_equalsParser() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 2_000; round++) {
            StringBuilder text = new StringBuilder();
            long[] expected = {-1, -1, -1};
            int events = 1 + random.nextInt(4);
            String lineEnd = List.of("\n", "\r\n", "\r").get(random.nextInt(3));
            for (int i = 0; i < events; i++) {
                JsonNode node = randomNode(random, 4);
                collect(node, expected);
                String json = events == 1 && random.nextBoolean()
                        ? MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node)
                        : MAPPER.writeValueAsString(node);
                text.append(events == 1 ? json : "data: " + json + lineEnd + lineEnd);
            }
            byte[] whole = text.append(' ').toString().getBytes(UTF_8);
            int[] cuts = random.ints(random.nextInt(10), 0, whole.length + 1)
                    .sorted()
                    .toArray();
            assertThat(scan(whole, cuts))
                    .as("seed %s, round %s, %s, cuts %s", SEED, round, text, Arrays.toString(cuts))
                    .isEqualTo(new Counts(expected[0], expected[1], expected[2]));
        }
    }

    private static JsonNode randomNode(SplittableRandom random, int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            return switch (random.nextInt(6)) {
                case 0 -> MAPPER.getNodeFactory().nullNode();
                case 1 -> MAPPER.getNodeFactory().numberNode(random.nextInt(100_000));
                case 2 -> MAPPER.getNodeFactory().numberNode(random.nextDouble());
                case 3 -> MAPPER.getNodeFactory().booleanNode(random.nextBoolean());
                default -> MAPPER.getNodeFactory().textNode(randomText(random));
            };
        }
        if (random.nextInt(4) == 0) {
            ArrayNode array = MAPPER.createArrayNode();
            for (int i = random.nextInt(4); i > 0; i--) {
                array.add(randomNode(random, depth - 1));
            }
            return array;
        }
        ObjectNode object = MAPPER.createObjectNode();
        for (int i = random.nextInt(6); i > 0; i--) {
            // A name that ends in a quote and one of the names looked for is out of the scanner's sight, and of this
            // test's.
            String name = random.nextInt(3) > 0
                    ? NAMES.get(random.nextInt(NAMES.size()))
                    : randomText(random).replace("\"", "'");
            object.set(name, randomNode(random, random.nextInt(depth)));
        }
        return object;
    }

    private static String randomText(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(
                    switch (random.nextInt(7)) {
                        case 0 -> "\"";
                        case 1 -> "\\";
                        case 2 -> NAMES.get(random.nextInt(NAMES.size()));
                        case 3 -> "\n\n";
                        case 4 -> "\":" + random.nextInt(1_000) + ",";
                        case 5 -> "é_\u2028";
                        default -> "a b";
                    });
        }
        return text.toString();
    }

    private static void collect(JsonNode node, long[] counts) {
        for (Map.Entry<String, JsonNode> member : node.properties()) {
            int index = NAMES.indexOf(member.getKey());
            if (index >= 0 && member.getValue().isIntegralNumber()) {
                int slot = index < 3 ? index : index - 3;
                counts[slot] = Math.max(counts[slot], member.getValue().longValue());
            }
        }
        node.forEach(child -> collect(child, counts));
    }
}
