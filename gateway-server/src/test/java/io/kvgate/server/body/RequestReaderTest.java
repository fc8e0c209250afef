package io.kvgate.server.body;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.Prompt;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestReaderTest {
    private static final long SEED = 20_261_129L;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What the kept tests look at. */
    private record Parsed(@Nullable String model, boolean stream) {}

    private final RequestReader reader = new RequestReader();
    private final RequestReader narrow = new RequestReader(2 * JsonInput.LOOKAHEAD, 64);

    /**
     * Reads from one piece behind other bytes, from many small pieces, through a narrow window and with the prompt, and compares.
     */
    private Parsed parse(byte[] body) {
        ByteBuf whole = Unpooled.buffer().writeBytes(new byte[] {'{', '{'}).writeBytes(body);
        whole.readerIndex(2);
        CompositeByteBuf pieces = Unpooled.compositeBuffer(1_000_000);
        for (int at = 0; at < body.length; at += 7) {
            pieces.addComponent(true, Unpooled.copiedBuffer(body, at, Math.min(7, body.length - at)));
        }
        try {
            Object first = outcome(reader, whole, false);
            assertThat(outcome(reader, pieces, true)).isEqualTo(first);
            assertThat(outcome(narrow, whole, true)).isEqualTo(first);
            assertThat(outcome(narrow, pieces, false)).isEqualTo(first);
            assertThat(whole.readerIndex()).isEqualTo(2);
            assertThat(pieces.readerIndex()).isZero();
            assertThat(whole.refCnt()).isEqualTo(1);
            assertThat(pieces.refCnt()).isEqualTo(1);
            return read(reader, whole, false);
        } finally {
            whole.release();
            pieces.release();
        }
    }

    private static Parsed read(RequestReader reader, ByteBuf body, boolean wantPrompt) {
        ReadRequest read = reader.read(body, ApiEndpoint.CHAT_COMPLETIONS, wantPrompt);
        assertThat(wantPrompt || read.prompt() == Prompt.NONE).isTrue();
        return new Parsed(read.model(), read.stream());
    }

    /** What was parsed, or the refusal's code and message. */
    private static Object outcome(RequestReader reader, ByteBuf body, boolean wantPrompt) {
        try {
            return read(reader, body, wantPrompt);
        } catch (GatewayException e) {
            return e.code() + " " + e.message();
        }
    }

    private Parsed parse(String body) {
        return parse(body.getBytes(UTF_8));
    }

    private void assertRefused(byte[] body, ErrorCode code) {
        assertThatThrownBy(() -> parse(body))
                .isInstanceOfSatisfying(
                        GatewayException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private void assertRefused(String body, ErrorCode code) {
        assertRefused(body.getBytes(UTF_8), code);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "{}|-|false",
                "{\"model\":\"m\"}|m|false",
                "{\"model\":\"m\",\"stream\":true}|m|true",
                "{\"stream\":true,\"messages\":[{\"model\":\"inner\",\"stream\":false}],\"model\":\"m\"}|m|true",
                "{\"model\":null,\"stream\":null}|-|false",
                "{\"model\":\"\"}|-|false",
                "{\"mod\\u0065l\":\"\\u006d\\n\\\"\"}|'m\n\"'|false",
                "{\"Model\":\"m\",\"STREAM\":true}|-|false",
                "{\"a\":{\"model\":\"m\",\"stream\":true}}|-|false",
                "{\"stream\":false,\"stream\":true}|-|true",
                "{\"stream\":\"true\"}|-|false",
                "{\"stream\":1}|-|false",
                "{\"stream\":[true]}|-|false",
                "{\"stream\":{\"stream\":true},\"model\":\"m\"}|m|false",
                "{\"stream\":1e400}|-|false",
            })
    void parse_object_findsModelAndStream(String body, @Nullable String model, boolean stream) {
        assertThat(parse(body)).isEqualTo(new Parsed(model, stream));
    }

    @Test
    void parse_spaceAnywhere_isSkipped() {
        assertThat(parse(" \t\r\n{ \"model\"\n:\t\"m\" }\r\n ")).isEqualTo(new Parsed("m", false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"model\":\"m\",\"logprobs\":null,\"stream\":null}",
                "{\"model\":\"m\",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"now\"}}]}",
                "{\"model\":\"m\",\"min_tokens\":0}",
                "{\"model\":\"m\",\"n\":-0,\"t\":1e308,\"x\":123456789012345678901234567890.5E-400,\"s\":[]}",
                "{\"model\":\"m\",\"a\":1,\"a\":2,\"\":3}",
            })
    void report022_whatAnEngineMayTake_isTaken(String body) {
        assertThat(parse(body)).isEqualTo(new Parsed("m", false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[]",
                "\"x\"",
                "1",
                "null",
                "true",
                "{\"model\":\"a\",\"model\":\"b\"}",
                "{\"model\":\"a\",\"model\":null}",
                "{}x",
                "{}{}",
                "{} ]",
                "{\"a\":1,}",
                "{\"a\"}",
                "{\"a\":}",
                "{a:1}",
                "{'a':1}",
                "{\"a\":NaN}",
                "{\"a\":01}",
                "{\"a\":+1}",
                "{\"a\":1.}",
                "{\"a\":.5}",
                "{\"a\":0x1}",
                "{\"a\":tru}",
                "{\"a\":\"b",
                "{\"a\":\"\n\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12g4\"}",
                "{\"a\":[1,2}",
                "{\"a\":{\"b\":1]}",
                "{\"model\":\"m\"",
                "/**/{}",
                "{} // end",
                "{\u0000}",
            })
    void report076_noJsonObject_isRefused(String body) {
        assertRefused(body, ErrorCode.INVALID_JSON);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{\"model\":5}", "{\"model\":true}", "{\"model\":[\"m\"]}", "{\"model\":{}}", "{\"model\":1e9}"})
    void report076_modelOfAnotherType_isRefused(String body) {
        assertRefused(body, ErrorCode.INVALID_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":\"\u00ff\"}",
                "{\"a\":\"\u00c3\"}",
                "{\"a\":\"\u00c3(\"}",
                "{\"a\":\"\u0080\"}",
                "{\"model\":\"\u00e2\u0082\"}",
                "{\"\u00ff\":1}",
                "{\u00ff}",
                "\u00ff\u00fe\u00fd{}",
            })
    void report076_invalidUtf8_isRefused(String latin1) {
        assertRefused(latin1.getBytes(ISO_8859_1), ErrorCode.INVALID_JSON);
    }

    @Test
    void report076_deepNesting_isRefusedAndModestIsTaken() {
        assertRefused("{\"a\":" + "[".repeat(100_000), ErrorCode.INVALID_JSON);
        assertRefused("[".repeat(100_000), ErrorCode.INVALID_JSON);
        assertRefused("{\"a\":".repeat(100_000), ErrorCode.INVALID_JSON);
        assertThat(parse("{\"a\":" + "[".repeat(900) + "]".repeat(900) + ",\"model\":\"m\"}"))
                .isEqualTo(new Parsed("m", false));
    }

    /** Engines take it too: the body goes on to them with its mark. */
    @Test
    void report076_byteOrderMark_isTaken() {
        assertThat(parse("\ufeff{\"model\":\"m\",\"stream\":true}")).isEqualTo(new Parsed("m", true));
        assertRefused("\ufeff", ErrorCode.INVALID_JSON);
    }

    /** Whoever reads JSON from bytes tells UTF-16 by its zero bytes, as the engines do. */
    @Test
    void parse_utf16_isTaken() {
        String body = "{\"model\":\"m\u00e9\",\"stream\":true}";
        assertThat(parse(body.getBytes(UTF_16LE))).isEqualTo(new Parsed("m\u00e9", true));
        assertThat(parse(body.getBytes(UTF_16BE))).isEqualTo(new Parsed("m\u00e9", true));
        assertRefused("{\"model\":\"m".getBytes(UTF_16BE), ErrorCode.INVALID_JSON);
    }

    @Test
    void parse_largeStrings_areTakenWhereTheyArePassedOn() {
        String text = "x\\\"\u00e9".repeat(400_000);
        assertThat(parse("{\"prompt\":\"" + text + "\",\"model\":\"m\"}")).isEqualTo(new Parsed("m", false));
    }

    @Test
    void parse_hugeModelName_isRefused() {
        assertRefused("{\"model\":\"" + "m".repeat(100_000) + "\"}", ErrorCode.INVALID_JSON);
        assertThat(parse("{\"model\":\"" + "m".repeat(10_000) + "\"}").model()).hasSize(10_000);
    }

    @Test
    void parse_refusal_namesThePlaceAndRepeatsNothing() {
        assertThatThrownBy(() -> parse("{\"model\":\"m\",\n \"a\": secret}"))
                .hasMessageContaining("line 2, column ")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret", "model"));
    }

    @Test
    void parse_afterARefusal_worksOn() {
        for (int i = 0; i < 100; i++) {
            assertRefused("{\"model\":\"m" + i, ErrorCode.INVALID_JSON);
            assertThat(parse("{\"model\":\"n" + i + "\"}").model()).isEqualTo("n" + i);
        }
    }

    @Test
    void parse_sizesAroundTheWindow_areTheSame() {
        for (int size : new int[] {65_535, 65_536, 65_537, 40_000, 131_071, 131_072, 131_073, 300_000, 100}) {
            String start = "{\"stream\":true,\"p\":\"";
            String end = "\",\"model\":\"m\"}";
            String body = start + "x".repeat(size - start.length() - end.length()) + end;
            assertThat(body).hasSize(size);
            assertThat(parse(body)).isEqualTo(new Parsed("m", true));
        }
    }

    @Test
    void parse_randomJson_equalsTree() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 2_000; round++) {
            ObjectNode object = MAPPER.createObjectNode();
            for (int i = random.nextInt(8); i > 0; i--) {
                switch (random.nextInt(4)) {
                    case 0 -> object.put("model", text(random));
                    case 1 -> object.set("stream", node(random, 1));
                    default -> object.set(text(random), node(random, 4));
                }
            }
            byte[] body = random.nextBoolean()
                    ? MAPPER.writeValueAsBytes(object)
                    : MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(object);
            JsonNode tree = MAPPER.readTree(body);
            String model = tree.path("model").asText("");
            assertThat(parse(body))
                    .as("seed %s, round %s", SEED, round)
                    .isEqualTo(new Parsed(
                            model.isEmpty() ? null : model, tree.path("stream").booleanValue()));
        }
    }

    /** Broken bodies are refused or, where the break leaves JSON, taken; never anything else. */
    @Test
    void parse_randomlyBrokenJson_isRefusedAsTheTreeIs() {
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] whole = "{\"model\":\"m\u00e9\",\"stream\":true,\"a\":[1,-2.5e3,{\"b\":null}],\"c\":\"\\u00e9\\n\"}"
                .getBytes(UTF_8);
        for (int round = 0; round < 5_000; round++) {
            byte[] body = Arrays.copyOf(whole, random.nextInt(4) == 0 ? random.nextInt(whole.length) : whole.length);
            for (int i = random.nextInt(3); i > 0 && body.length > 0; i--) {
                body[random.nextInt(body.length)] = (byte) random.nextInt(256);
            }
            boolean object;
            try {
                JsonNode tree = MAPPER.reader()
                        .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                        .readTree(body);
                object = tree.isObject()
                        && (!tree.has("model")
                                || tree.path("model").isTextual()
                                || tree.path("model").isNull());
            } catch (IOException e) {
                object = false;
            }
            boolean taken;
            try {
                parse(body);
                taken = true;
            } catch (GatewayException e) {
                taken = false;
            }
            assertThat(taken)
                    .as("seed %s, round %s: %s", SEED, round, new String(body, ISO_8859_1))
                    .isEqualTo(object);
        }
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.appendCodePoint(
                    switch (random.nextInt(5)) {
                        case 0 -> "\"\\\n\u0001/".codePointAt(random.nextInt(5));
                        case 1 -> 0x80 + random.nextInt(0x700);
                        case 2 -> 0x1F600 + random.nextInt(40);
                        default -> 'a' + random.nextInt(26);
                    });
        }
        return text.toString();
    }

    private static JsonNode node(SplittableRandom random, int depth) {
        if (depth > 0 && random.nextInt(3) == 0) {
            ArrayNode array = MAPPER.createArrayNode();
            for (int i = random.nextInt(4); i > 0; i--) {
                array.add(node(random, depth - 1));
            }
            return array;
        }
        if (depth > 0 && random.nextInt(3) == 0) {
            ObjectNode object = MAPPER.createObjectNode();
            object.set("model", node(random, depth - 1));
            object.set(text(random), node(random, depth - 1));
            return object;
        }
        return switch (random.nextInt(5)) {
            case 0 -> MAPPER.getNodeFactory().booleanNode(random.nextBoolean());
            case 1 -> MAPPER.getNodeFactory().numberNode(random.nextLong());
            case 2 -> MAPPER.getNodeFactory().numberNode(random.nextDouble());
            case 3 -> MAPPER.getNodeFactory().nullNode();
            default -> MAPPER.getNodeFactory().textNode(text(random));
        };
    }
}
