package io.kvgate.server.body;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.ApiEndpoint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scanner beside another one, and at the edges of its words and windows. */
final class JsonScannerTest {
    private static final long SEED = 20_261_130L;
    private static final ObjectMapper ORACLE = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(JsonScanner.MAX_NESTING)
                    .build())
            .build());

    private final RequestReader[] readers = new RequestReader[40];

    JsonScannerTest() {
        Arrays.setAll(readers, i -> new RequestReader(2 * JsonInput.LOOKAHEAD + i, 4_096));
    }

    /** The text of {@code prompt}, or null if the body is refused. */
    private static @Nullable String prompt(RequestReader reader, byte[] body) {
        ByteBuf bytes = Unpooled.wrappedBuffer(body);
        try {
            return reader.read(bytes, ApiEndpoint.COMPLETIONS, true).prompt().text();
        } catch (GatewayException e) {
            return null;
        }
    }

    @Test
    void strings_anyByteAtAnyPlaceOfAnyWindow_areReadAsTheOracleDoes() throws IOException {
        String[] specials = {
            "",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\b\\f\\r\\t",
            "\\u0041",
            "\\u00e9",
            "\\u20ac",
            "\\ud83d\\ude00",
            "\u00e9",
            "\u20ac",
            "\ud83d\ude00",
            "\u65e5\u672c\u8a9e",
            "\u007f",
            "\\u0000",
            "\\uFFFF",
            "'",
            "/"
        };
        for (String special : specials) {
            for (int before = 0; before < 40; before++) {
                for (int after = 0; after < 10; after += 3) {
                    String body = "{\"prompt\":\"" + "a".repeat(before) + special + "b".repeat(after) + special + "\"}";
                    byte[] bytes = body.getBytes(UTF_8);
                    String expected = ORACLE.readTree(bytes).path("prompt").asText();
                    for (RequestReader reader : readers) {
                        assertThat(prompt(reader, bytes)).isEqualTo(expected);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\x", "\\u12g4", "\\u123", "\\u", "\\", "\u0000", "\u001f", "\n", "\t", "\\U0041", "\\'"})
    void strings_brokenAtAnyPlace_areRefused(String broken) {
        for (int before = 0; before < 40; before++) {
            byte[] body = ("{\"prompt\":\"" + "a".repeat(before) + broken + "\"}").getBytes(UTF_8);
            for (RequestReader reader : readers) {
                assertThat(prompt(reader, body)).isNull();
                byte[] skipped = body.clone();
                skipped[2] = 'q';
                assertThat(prompt(reader, skipped)).isNull();
            }
        }
    }

    /** What Python's strict decoder refuses is refused, also where the oracle is lenient. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0080",
                "\u00bf",
                "\u00c0\u0080",
                "\u00c1\u00bf",
                "\u00c2",
                "\u00c2\u00c2",
                "\u00e0\u0080\u0080",
                "\u00e0\u009f\u00bf",
                "\u00ed\u00a0\u0080",
                "\u00ed\u00bf\u00bf",
                "\u00e2\u0082",
                "\u00e2\u0082a",
                "\u00f0\u0080\u0080\u0080",
                "\u00f0\u008f\u00bf\u00bf",
                "\u00f4\u0090\u0080\u0080",
                "\u00f5\u0080\u0080\u0080",
                "\u00f0\u009f\u0098",
                "\u00f8\u0088\u0080\u0080\u0080",
                "\u00ff"
            })
    void strings_illFormedUtf8AtAnyPlace_areRefused(String latin1) {
        for (int before = 0; before < 40; before++) {
            byte[] body = ("{\"prompt\":\"" + "a".repeat(before) + latin1 + "\"}").getBytes(ISO_8859_1);
            for (RequestReader reader : readers) {
                assertThat(prompt(reader, body)).isNull();
                byte[] skipped = body.clone();
                skipped[2] = 'q';
                assertThat(prompt(reader, skipped)).isNull();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\\ud83d|\ufffd",
                "\\ude00|\ufffd",
                "\\ud83dx|\ufffdx",
                "\\ud83d\\n|'\ufffd\n'",
                "\\ud83d\\ud83d\\ude00|\ufffd\ud83d\ude00",
                "\\ude00\\ud83d|\ufffd\ufffd",
                "\\ud83d\\u0041|\ufffdA",
                "\\uD83D\\uDE00|\ud83d\ude00",
            })
    void strings_loneSurrogateEscape_becomesTheReplacementCharacter(String written, String meant) {
        byte[] body = ("{\"prompt\":\"" + written + "\"}").getBytes(UTF_8);
        for (RequestReader reader : readers) {
            assertThat(prompt(reader, body)).isEqualTo(meant);
        }
    }

    @Test
    void wholeDocument_atAnyWindow_isReadTheSame() {
        String document =
                " {\n\"a\" : [1, -0.5e+10, [], {}, {\"b\":[true,false , null]}], \"model\" : \"m\u00e9\\u0064\",\r\n"
                        + "\"pro\\u006dpt\":[ \"x\\\\\u20ac\" , [\"y\"] ,{\"text\":\"z\"} ] , \"stream\"\t:true,\"cache_salt\":\"salt\","
                        + "\"tools\":[ {\"k\" : 1 } ,  2 ]} \n";
        String spaced = document.replace(" ", "            ");
        for (String text : new String[] {document, spaced}) {
            for (RequestReader reader : readers) {
                ByteBuf bytes = Unpooled.copiedBuffer(text, UTF_8);
                ReadRequest read = reader.read(bytes, ApiEndpoint.COMPLETIONS, true);
                assertThat(read.model()).isEqualTo("m\u00e9d");
                assertThat(read.stream()).isTrue();
                assertThat(read.prompt().text()).isEqualTo("x\\\u20ac y z");
                assertThat(new String(read.prompt().bytes(), 0, read.prompt().scopeLength(), UTF_8))
                        .startsWith("\u0001s4:saltT")
                        .endsWith("\u0002");
                bytes.release();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0",
                "-0",
                "1",
                "-1",
                "10",
                "1.5",
                "0.0",
                "-0.25e10",
                "1E+2",
                "1e-7",
                "123456789012345678901234567890"
            })
    void numbers_legal_areTaken(String number) {
        for (RequestReader reader : readers) {
            assertThat(prompt(reader, ("{\"n\":" + number + ",\"prompt\":\"p\"}").getBytes(UTF_8)))
                    .isEqualTo("p");
            assertThat(prompt(reader, ("{\"prompt\":\"p\",\"n\":[" + number + "\n]}").getBytes(UTF_8)))
                    .isEqualTo("p");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "01",
                "-",
                "+1",
                "1.",
                ".5",
                "1e",
                "1e+",
                "0x1",
                "1.e5",
                "--1",
                "1-",
                "NaN",
                "-Infinity",
                "1_0",
                "00",
                "-01",
                "1e5.5",
                "tru",
                "truee",
                "True",
                "nul",
                "nulls",
                "falsy",
                "undefined",
                ""
            })
    void scalars_illegal_areRefused(String scalar) {
        for (RequestReader reader : readers) {
            assertThat(prompt(reader, ("{\"n\":" + scalar + ",\"prompt\":\"p\"}").getBytes(UTF_8)))
                    .isNull();
            assertThat(prompt(reader, ("{\"n\":[" + scalar).getBytes(UTF_8))).isNull();
        }
    }

    @Test
    void limits_nestingNumbersAndNames_areNamed() {
        int nesting = JsonScanner.MAX_NESTING - 1;
        assertTaken("{\"a\":" + "[".repeat(nesting) + "]".repeat(nesting) + "}");
        assertTaken("{\"prompt\":" + "[".repeat(nesting) + "]".repeat(nesting) + "}");
        assertBeyond("{\"a\":" + "[".repeat(nesting + 1) + "]".repeat(nesting + 1) + "}");
        assertBeyond("{\"prompt\":" + "[".repeat(nesting + 1) + "]".repeat(nesting + 1) + "}");
        assertTaken("{\"a\":" + "9".repeat(JsonScanner.MAX_NUMBER_LENGTH) + "}");
        assertBeyond("{\"a\":" + "9".repeat(JsonScanner.MAX_NUMBER_LENGTH + 1) + "}");
        assertTaken("{\"" + "n".repeat(JsonScanner.MAX_NAME_LENGTH - 1) + "\":1,\"prompt\":[{\"nnn\":1}]}");
        assertBeyond("{\"" + "n".repeat(JsonScanner.MAX_NAME_LENGTH + 1) + "\":1}");
        assertBeyond("{\"a\":{\"" + "n".repeat(JsonScanner.MAX_NAME_LENGTH + 1) + "\":1}}");
    }

    private void assertTaken(String body) {
        assertThat(prompt(readers[0], body.getBytes(UTF_8))).isNotNull();
    }

    private void assertBeyond(String body) {
        ByteBuf bytes = Unpooled.copiedBuffer(body, UTF_8);
        assertThatThrownBy(() -> readers[0].read(bytes, ApiEndpoint.COMPLETIONS, true))
                .isInstanceOfSatisfying(
                        GatewayException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_JSON))
                .hasMessageContaining("beyond the gateway's limits (nesting 1000");
        bytes.release();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\":x}|line 1, column 6",
                "{\"a\":1}\\n}|line 2, column 1",
                "{\\n\\n  \"a\":\"b\\x01|line 3, column 9",
                "{\"model\":\"m\",\\n\"b\":[1,2,]}|line 2, column 10",
                "{|line 1, column 2",
                "x|line 1, column 1",
            })
    void refusal_anyWindow_namesThePlace(String body, String place) {
        byte[] bytes = body.replace("\\n", "\n").replace("\\x01", "\u0001").getBytes(UTF_8);
        byte[] far = ("{\"a\":\"" + "x".repeat(200) + "\",\n" + new String(bytes, UTF_8).substring(1)).getBytes(UTF_8);
        for (RequestReader reader : readers) {
            ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
            assertThatThrownBy(() -> reader.read(buffer, ApiEndpoint.COMPLETIONS, true))
                    .hasMessageEndingWith(place);
            if (bytes[0] == '{' && bytes.length > 1) {
                ByteBuf behind = Unpooled.wrappedBuffer(far);
                assertThatThrownBy(() -> reader.read(behind, ApiEndpoint.COMPLETIONS, true))
                        .hasMessageContaining(" at line " + (1 + Character.digit(place.charAt(5), 10)) + ", column ");
            }
        }
    }

    /**
     * Mutated documents: taken exactly when the oracle takes them and they are well-formed UTF-8 (the oracle lets overlong forms and
     * surrogates pass), with the same text. Beginnings with a zero byte are other encodings and are left out.
     */
    @Test
    void mutations_verdictAndText_areTheOracles() {
        SplittableRandom random = new SplittableRandom(SEED);
        String[] seeds = {
            "{\"prompt\":\"plain text, long enough for words\",\"model\":\"m\",\"n\":[1,-2.5e3,{\"b\":null}],\"t\":true}",
            "{\"prompt\":[\"a\\u00e9\\n\",\"\u00e9\u20ac\ud83d\ude00\"],\"x\":{\"y\":[[],{},\"\\ud83d\\ude00\"]},\"f\":false}",
            " { \"prompt\" : [ \"a\" , \"b\" ] , \"n\" : 0.1E-5 , \"deep\" : [ [ [ { \"k\" : [ ] } ] ] ] } ",
            "{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"prompt\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\u65e5\u672c\u8a9e\"}",
        };
        byte[] spice = "{}[]\",:\\u0123456789abtrueflsn.-+eE \n\t\u0000\u0001\u0080\u00bf\u00c3\u00e2\u00ed\u00f0\u00ff"
                .getBytes(ISO_8859_1);
        int taken = 0;
        for (int round = 0; round < 60_000; round++) {
            byte[] body = mutate(seeds[random.nextInt(seeds.length)].getBytes(UTF_8), spice, random);
            if (body.length < 4 || body[0] == 0 || body[1] == 0 || body[2] == 0 || body[3] == 0) {
                continue;
            }
            String expected = expected(body);
            taken += expected == null ? 0 : 1;
            assertThat(prompt(readers[random.nextInt(readers.length)], body))
                    .as("seed %s, round %s: %s", SEED, round, new String(body, ISO_8859_1))
                    .isEqualTo(expected);
        }
        assertThat(taken).isBetween(5_000, 55_000);
    }

    private static byte[] mutate(byte[] body, byte[] spice, SplittableRandom random) {
        byte[] result = body;
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(result.length);
            byte value = random.nextInt(3) == 0 ? (byte) random.nextInt(256) : spice[random.nextInt(spice.length)];
            switch (random.nextInt(4)) {
                case 0 -> result = Arrays.copyOf(result, Math.min(result.length, Math.max(at, 8)));
                case 1 -> {
                    byte[] longer = Arrays.copyOf(result, result.length + 1);
                    System.arraycopy(result, at, longer, at + 1, result.length - at);
                    longer[at] = value;
                    result = longer;
                }
                case 2 -> {
                    byte[] shorter = Arrays.copyOf(result, result.length - 1);
                    System.arraycopy(result, at + 1, shorter, at, shorter.length - at);
                    result = shorter;
                }
                default -> {
                    result = result.clone();
                    result[at] = value;
                }
            }
        }
        return result;
    }

    private static @Nullable String expected(byte[] body) {
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(body));
        } catch (CharacterCodingException e) {
            return null;
        }
        try {
            JsonNode tree = ORACLE.reader()
                    .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .readTree(body);
            boolean valid = tree.isObject()
                    && (!tree.has("model")
                            || tree.get("model").isTextual()
                            || tree.get("model").isNull());
            return valid ? texts(tree.path("prompt")) : null;
        } catch (IOException e) {
            return null;
        }
    }

    private static String texts(JsonNode node) {
        if (node.isTextual()) {
            String text = node.asText();
            StringBuilder mended = new StringBuilder();
            text.codePoints().forEach(c -> mended.appendCodePoint(c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c));
            return mended.toString();
        }
        StringBuilder joined = new StringBuilder();
        if (node.isArray()) {
            for (JsonNode element : node) {
                String text = texts(element);
                joined.append(joined.isEmpty() || text.isEmpty() ? "" : " ").append(text);
            }
        }
        return joined.toString();
    }
}
