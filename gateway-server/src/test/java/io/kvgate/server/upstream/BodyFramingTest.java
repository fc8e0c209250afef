package io.kvgate.server.upstream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.server.upstream.BodyFraming.FramingException;
import io.kvgate.server.upstream.BodyFraming.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BodyFramingTest {
    private static final long SEED = 20_261_129L;

    private final ByteArrayOutputStream payload = new ByteArrayOutputStream();

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    /** Gives one piece, behind bytes that don't belong to it, and checks what is said of the ranges. */
    private int give(BodyFraming framing, byte[] piece) throws FramingException {
        ByteBuf buf = Unpooled.buffer(3 + piece.length);
        try {
            buf.writeBytes(new byte[] {'x', 'y', 'z'}).writeBytes(piece);
            buf.readerIndex(3);
            int[] last = {3};
            int consumed = framing.advance(buf, (from, index, length) -> {
                assertThat(from).isSameAs(buf);
                assertThat(length).isPositive();
                assertThat(index).isGreaterThanOrEqualTo(last[0]);
                last[0] = index + length;
                assertThat(last[0]).isLessThanOrEqualTo(buf.writerIndex());
                payload.writeBytes(Arrays.copyOfRange(buf.array(), index, index + length));
            });
            assertThat(buf.readerIndex()).isEqualTo(3);
            return consumed;
        } finally {
            buf.release();
        }
    }

    /** The whole in pieces that end at the given places. */
    private int giveCut(BodyFraming framing, byte[] whole, int... cuts) throws FramingException {
        payload.reset();
        int consumed = 0;
        int from = 0;
        for (int i = 0; i <= cuts.length; i++) {
            int to = i == cuts.length ? whole.length : cuts[i];
            consumed += give(framing, Arrays.copyOfRange(whole, from, to));
            from = to;
        }
        return consumed;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0\r\n\r\n",
                "5\r\nhello\r\n0\r\n\r\n",
                "A\r\n0123456789\r\na\r\nabcdefghij\r\n0\r\n\r\n",
                "00000005\r\nhello\r\n000\r\n\r\n",
                "5;name=value\r\nhello\r\n0;last\r\n\r\n",
                "5 \r\nhello\r\n0\t\r\n\r\n",
                "5;q=\"a b;c\"\r\nhello\r\n0\r\n\r\n",
                "2\r\n\r\n\r\n0\r\n\r\n",
                "7\r\n0\r\n\r\n0\r\r\n0\r\n\r\n",
                "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\nx-checksum: 1\r\ny: 2\r\n\r\n",
                "1\r\na\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n",
            })
    void advance_chunkedInAnyTwoPieces_equalsPlainReader(String text) throws FramingException {
        byte[] whole = bytes(text);
        Framings.Dechunked expected = Framings.dechunk(whole);
        assertThat(expected.complete()).isTrue();
        for (int cut = 0; cut <= whole.length; cut++) {
            BodyFraming framing = BodyFraming.chunked();
            int consumed = giveCut(framing, whole, cut);
            assertThat(framing.ended()).as("cut at %s", cut).isTrue();
            assertThat(consumed).as("cut at %s", cut).isEqualTo(expected.consumed());
            assertThat(payload.toByteArray()).as("cut at %s", cut).isEqualTo(expected.payload());
        }
    }

    @Test
    void advance_randomChunkedBodiesInRandomPieces_equalsPlainReader() throws FramingException {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 3_000; round++) {
            byte[] whole = randomBody(random);
            Framings.Dechunked expected = Framings.dechunk(whole);
            int[] cuts =
                    random.ints(random.nextInt(8), 0, whole.length + 1).sorted().toArray();
            BodyFraming framing = BodyFraming.chunked();
            int consumed = giveCut(framing, whole, cuts);
            assertThat(framing.ended()).as("seed %s, round %s", SEED, round).isTrue();
            assertThat(consumed).as("seed %s, round %s", SEED, round).isEqualTo(expected.consumed());
            assertThat(payload.toByteArray())
                    .as("seed %s, round %s", SEED, round)
                    .isEqualTo(expected.payload());
        }
    }

    private static byte[] randomBody(SplittableRandom random) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int chunks = random.nextInt(6);
        for (int i = 0; i < chunks; i++) {
            byte[] data = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 5_000 : 40)];
            for (int j = 0; j < data.length; j++) {
                data[j] = (byte) (random.nextInt(3) == 0 ? "\r\n0a;".charAt(random.nextInt(5)) : random.nextInt(256));
            }
            String size = Integer.toHexString(data.length);
            size = random.nextBoolean() ? size : "0".repeat(random.nextInt(4)) + size.toUpperCase(Locale.ROOT);
            out.writeBytes(bytes(size + (random.nextInt(4) == 0 ? ";ext=" + random.nextInt(100) : "") + "\r\n"));
            out.writeBytes(data);
            out.writeBytes(bytes("\r\n"));
        }
        out.writeBytes(
                bytes("0\r\n" + (random.nextInt(4) == 0 ? "trailer: " + random.nextInt() + "\r\n" : "") + "\r\n"));
        out.writeBytes(bytes(random.nextBoolean() ? "" : "excess"));
        return out.toByteArray();
    }

    @Test
    void state_afterEachByte_tellsWhereTheBodyStands() throws FramingException {
        String text = "5;e\r\nhello\r\n2\r\nab\r\n0\r\nt: 1\r\n\r\n";
        BodyFraming framing = BodyFraming.chunked();
        byte[] whole = bytes(text);
        StringBuilder seen = new StringBuilder();
        for (int at = 0; at <= whole.length; at++) {
            seen.append(framing.betweenChunks() ? '+' : '-');
            int inHello = at - text.indexOf("hello");
            int inAb = at - text.indexOf("ab");
            long missing = inHello >= 0 && inHello < 5 ? 5 - inHello : inAb >= 0 && inAb < 2 ? 2 - inAb : 0;
            assertThat(framing.missingBytes()).as("before byte %s", at).isEqualTo(missing);
            assertThat(framing.insideChunkData()).as("before byte %s", at).isEqualTo(missing > 0);
            assertThat(framing.ended()).as("before byte %s", at).isEqualTo(at == whole.length);
            if (at < whole.length) {
                assertThat(give(framing, new byte[] {whole[at]})).isEqualTo(1);
            }
        }
        assertThat(seen.chars().filter(c -> c == '+').count()).isEqualTo(3);
        assertThat(seen.charAt(0)).isEqualTo('+');
        assertThat(seen.charAt(text.indexOf("2\r\n"))).isEqualTo('+');
        assertThat(seen.charAt(text.indexOf("0\r\n"))).isEqualTo('+');
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\r\n",
                "g\r\n",
                "-1\r\n",
                "+5\r\nhello\r\n",
                "0x5\r\nhello\r\n",
                ";ext\r\nhello\r\n",
                " 5\r\nhello\r\n",
                "5\nhello\n0\n\n",
                "5\r\rhello",
                "5;a\nhello",
                "5\r\nhelloX\r\n",
                "5\r\nhello\n",
                "5\r\nhello\rX",
                "5\r\nhello0\r\n\r\n",
                "0\r\n\rX",
                "0\r\n\n",
                "0\r\nname: value\n\r\n",
                "0\r\nname: value\rX",
                "1000000000000000\r\n",
                "fffffffffffffffff\r\n",
            })
    void advance_malformedChunkedInAnyTwoPieces_throws(String text) {
        byte[] whole = bytes(text);
        for (int cut = 0; cut <= whole.length; cut++) {
            int place = cut;
            assertThatThrownBy(() -> giveCut(BodyFraming.chunked(), whole, place))
                    .as("cut at %s", cut)
                    .isInstanceOf(FramingException.class);
        }
    }

    @Test
    void advance_bytesBeforeTheFault_areTold() {
        BodyFraming framing = BodyFraming.chunked();
        byte[] whole = bytes("5\r\nhello\r\n3\r\nabcX");
        assertThatThrownBy(() -> giveCut(framing, whole, 5))
                .isInstanceOfSatisfying(
                        FramingException.class, e -> assertThat(e.goodBytes()).isEqualTo(whole.length - 1 - 5));
        assertThat(payload.toString(ISO_8859_1)).isEqualTo("helloabc");
    }

    @Test
    void advance_endlessExtension_throws() {
        assertThatThrownBy(() -> give(BodyFraming.chunked(), bytes("5;" + "x".repeat(5_000) + "\r\nhello\r\n")))
                .isInstanceOf(FramingException.class);
    }

    @Test
    void advance_endlessTrailers_throws() {
        String trailers = "a: b\r\n".repeat(10_000);
        assertThatThrownBy(() -> give(BodyFraming.chunked(), bytes("0\r\n" + trailers + "\r\n")))
                .isInstanceOf(FramingException.class);
    }

    @Test
    void advance_largestChunkSize_countsDown() throws FramingException {
        BodyFraming framing = BodyFraming.chunked();
        give(framing, bytes("fffffffffffffff\r\nab"));
        assertThat(framing.missingBytes()).isEqualTo(0xFFFFFFFFFFFFFFFL - 2);
        assertThat(framing.insideChunkData()).isTrue();
    }

    @Test
    void advance_length_endsAtItsLastByte() throws FramingException {
        byte[] whole = bytes("0\r\n\r\nxyz+excess");
        for (int cut = 0; cut <= whole.length; cut++) {
            BodyFraming framing = BodyFraming.length(8);
            assertThat(framing.kind()).isEqualTo(Kind.LENGTH);
            assertThat(framing.missingBytes()).isEqualTo(8);
            assertThat(giveCut(framing, whole, cut)).isEqualTo(8);
            assertThat(framing.ended()).isTrue();
            assertThat(payload.toString(ISO_8859_1)).isEqualTo("0\r\n\r\nxyz");
        }
    }

    @Test
    void advance_lengthCutShort_tellsWhatIsMissing() throws FramingException {
        BodyFraming framing = BodyFraming.length(10_000_000_000L);
        give(framing, bytes("1234"));
        assertThat(framing.ended()).isFalse();
        assertThat(framing.missingBytes()).isEqualTo(9_999_999_996L);
        assertThat(framing.insideChunkData()).isFalse();
        assertThat(framing.betweenChunks()).isFalse();
    }

    @Test
    void ended_noBodyAndLengthZero_atOnce() throws FramingException {
        for (BodyFraming framing : new BodyFraming[] {BodyFraming.none(), BodyFraming.length(0)}) {
            assertThat(framing.ended()).isTrue();
            assertThat(framing.missingBytes()).isZero();
            assertThat(give(framing, bytes("excess"))).isZero();
        }
        assertThat(payload.size()).isZero();
    }

    @Test
    void advance_untilClose_takesAllAndNeverEnds() throws FramingException {
        BodyFraming framing = BodyFraming.untilClose();
        byte[] whole = bytes("0\r\n\r\nanything");
        assertThat(giveCut(framing, whole, 3)).isEqualTo(whole.length);
        assertThat(payload.toByteArray()).isEqualTo(whole);
        assertThat(framing.ended()).isFalse();
        assertThat(framing.missingBytes()).isZero();
        assertThat(framing.betweenChunks()).isFalse();
    }
}
