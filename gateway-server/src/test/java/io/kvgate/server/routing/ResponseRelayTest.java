package io.kvgate.server.routing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.server.upstream.BodyFraming;
import io.kvgate.server.upstream.Framings;
import io.kvgate.server.upstream.UpstreamHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ResponseRelayTest {
    private static final long SEED = 20_261_129L;
    private static final String ERROR_EVENT = new String(ErrorJson.encodeEvent(reset()), UTF_8);
    private static final String EVENTS = "data: {\"a\":1}\n\ndata: {\"b\":2}\r\n\r\nid: 7\ndata: {\"c\":3}\n\n";

    private final FakeClient client = new FakeClient();
    private final HttpHeaders headers = new DefaultHttpHeaders();

    private static GatewayException reset() {
        return new GatewayException(ErrorCode.UPSTREAM_RESET, "worker w: gone");
    }

    private ResponseRelay relay(BodyFraming framing, boolean http10, String type) {
        headers.set("content-type", type);
        ResponseRelay relay = new ResponseRelay(
                client, new UpstreamHead(200, "OK", headers, framing), http10, UnpooledByteBufAllocator.DEFAULT);
        relay.begin("worker-1", null);
        return relay;
    }

    private ResponseRelay relay(BodyFraming framing, boolean http10) {
        return relay(framing, http10, "text/event-stream");
    }

    /** As the connection does: payload first, then the same bytes raw. */
    private static void give(ResponseRelay relay, BodyFraming framing, byte[] piece) throws Exception {
        if (piece.length > 0) {
            ByteBuf buf = UnpooledByteBufAllocator.DEFAULT.buffer(piece.length).writeBytes(piece);
            assertThat(framing.advance(buf, relay::payload)).isEqualTo(piece.length);
            relay.body(buf);
            assertThat(buf.refCnt()).isZero();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private String sent() {
        return new String(client.bytes(), UTF_8);
    }

    private static String chunk(String data) {
        return Integer.toHexString(bytes(data).length) + "\r\n" + data + "\r\n";
    }

    // ------------------------------------------------------------- heads

    @Test
    void begin_workersHead_isPassedOnWithoutHopByHop() {
        headers.add("Connection", "keep-alive, X-Hop")
                .add("Keep-Alive", "timeout=5")
                .add("X-Hop", "1");
        headers.add("Transfer-Encoding", "chunked")
                .add("Set-Cookie", "a=1")
                .add("X-Mid", "m")
                .add("set-cookie", "b=2");
        ResponseRelay relay = new ResponseRelay(
                client,
                new UpstreamHead(429, "Slow Down", headers, Framings.chunked()),
                false,
                Unpooled.EMPTY_BUFFER.alloc());
        relay.begin("worker-1", "policy=random");
        assertThat(client.status).isEqualTo(429);
        assertThat(client.reason).isEqualTo("Slow Down");
        assertThat(client.headers().getAll("set-cookie")).containsExactly("a=1", "b=2");
        assertThat(client.headers().get("x-kvgate-worker")).isEqualTo("worker-1");
        assertThat(client.headers().get("x-kvgate-decision")).isEqualTo("policy=random");
        assertThat(client.headers().names().stream().map(n -> n.toLowerCase(Locale.ROOT)))
                .doesNotContain("connection", "keep-alive", "x-hop", "transfer-encoding");
    }

    @Test
    void begin_eventStream_addsWhatKeepsProxiesFromHoldingItBack() {
        relay(Framings.chunked(), false, "Text/Event-Stream; charset=utf-8");
        assertThat(client.headers().get("cache-control")).isEqualTo("no-cache");
        assertThat(client.headers().get("x-accel-buffering")).isEqualTo("no");
        assertThat(client.headers().get("content-type")).isEqualTo("Text/Event-Stream; charset=utf-8");
    }

    @Test
    void begin_eventStreamThatSaysIt_isLeftAlone() {
        headers.add("Cache-Control", "private").add("X-Accel-Buffering", "yes");
        relay(Framings.chunked(), false);
        assertThat(client.headers().getAll("cache-control")).containsExactly("private");
        assertThat(client.headers().getAll("x-accel-buffering")).containsExactly("yes");
    }

    @Test
    void begin_json_addsOnlyTheWorker() {
        relay(Framings.length(2), false, "application/json");
        assertThat(client.headers().names()).containsExactlyInAnyOrder("content-type", "x-kvgate-worker");
    }

    @Test
    void begin_noContentWithALength_losesTheLength() {
        headers.add("Content-Length", "5");
        new ResponseRelay(
                        client,
                        new UpstreamHead(204, "No Content", headers, Framings.none()),
                        false,
                        UnpooledByteBufAllocator.DEFAULT)
                .begin("worker-1", null);
        assertThat(client.headers().contains("content-length")).isFalse();
        assertThat(client.bodyEnd).isEqualTo(Exchange.BodyEnd.KNOWN);
    }

    // ------------------------------------------------------------- bodies

    @Test
    void body_length_isRaw() throws Exception {
        for (boolean http10 : new boolean[] {false, true}) {
            FakeClient own = new FakeClient();
            BodyFraming framing = Framings.length(5);
            ResponseRelay relay = new ResponseRelay(
                    own, new UpstreamHead(200, "", headers, framing), http10, UnpooledByteBufAllocator.DEFAULT);
            relay.begin("w", null);
            give(relay, framing, bytes("he"));
            give(relay, framing, bytes("llo"));
            relay.end();
            assertThat(own.bodyEnd).isEqualTo(Exchange.BodyEnd.KNOWN);
            assertThat(own.bytes()).isEqualTo(bytes("hello"));
            assertThat(own.ended).isTrue();
        }
    }

    @Test
    void body_chunkedToHttp11_isByteForByte() throws Exception {
        String body = "5;x=y\r\nhello\r\n0\r\nt: 1\r\n\r\n";
        BodyFraming framing = Framings.chunked();
        ResponseRelay relay = relay(framing, false);
        for (byte b : bytes(body)) {
            give(relay, framing, new byte[] {b});
        }
        relay.end();
        assertThat(client.bodyEnd).isEqualTo(Exchange.BodyEnd.CHUNKED);
        assertThat(sent()).isEqualTo(body);
    }

    @Test
    void body_chunkedToHttp10_isPayloadUntilClose() throws Exception {
        String body = chunk("hello") + chunk(" world") + "0\r\nt: 1\r\n\r\n";
        for (int cut = 0; cut <= body.length(); cut++) {
            FakeClient own = new FakeClient();
            BodyFraming framing = Framings.chunked();
            ResponseRelay relay = new ResponseRelay(
                    own, new UpstreamHead(200, "", headers, framing), true, UnpooledByteBufAllocator.DEFAULT);
            relay.begin("w", null);
            give(relay, framing, bytes(body.substring(0, cut)));
            give(relay, framing, bytes(body.substring(cut)));
            relay.end();
            assertThat(own.bodyEnd).isEqualTo(Exchange.BodyEnd.CLOSE);
            assertThat(new String(own.bytes(), UTF_8)).isEqualTo("hello world");
        }
    }

    @Test
    void body_untilCloseToHttp11_isPutIntoChunks() throws Exception {
        BodyFraming framing = Framings.untilClose();
        ResponseRelay relay = relay(framing, false);
        give(relay, framing, bytes("hello"));
        give(relay, framing, bytes("0\r\n\r\n" + "x".repeat(300)));
        relay.end();
        assertThat(client.bodyEnd).isEqualTo(Exchange.BodyEnd.CHUNKED);
        Framings.Dechunked result = Framings.dechunk(client.bytes());
        assertThat(result.complete()).isTrue();
        assertThat(result.consumed()).isEqualTo(client.bytes().length);
        assertThat(result.text()).isEqualTo("hello0\r\n\r\n" + "x".repeat(300));
    }

    @Test
    void body_untilCloseToHttp10_isRaw() throws Exception {
        BodyFraming framing = Framings.untilClose();
        ResponseRelay relay = relay(framing, true);
        give(relay, framing, bytes("hello"));
        relay.end();
        assertThat(client.bodyEnd).isEqualTo(Exchange.BodyEnd.CLOSE);
        assertThat(sent()).isEqualTo("hello");
    }

    // ------------------------------------------------------------- last words

    /**
     * The stream goes on exactly as the worker sent it up to the cut; then come nothing but line ends, then the error event, and no
     * end of the body. So complete events stay as they are, and the error is an event of its own.
     */
    private static void assertBrokenOffWell(Framings.Dechunked result, String payloadSoFar, String where) {
        assertThat(result.wellFormed()).as(where).isTrue();
        assertThat(result.complete()).as(where).isFalse();
        String text = result.text();
        assertThat(text).as(where).startsWith(payloadSoFar).endsWith(ERROR_EVENT);
        String between = text.substring(payloadSoFar.length(), text.length() - ERROR_EVENT.length());
        assertThat(between).as(where).matches("\n*");
        String before = payloadSoFar + between;
        assertThat(before.isEmpty() || before.endsWith("\n\n") || before.endsWith("\r\n\r\n"))
                .as(where)
                .isTrue();
    }

    @Test
    void breakOff_chunkedEventStreamAtAnyCut_endsWithOneErrorEvent() throws Exception {
        String whole = chunk(EVENTS.substring(0, 20))
                + chunk(EVENTS.substring(20, 21))
                + chunk(EVENTS.substring(21, 30))
                + chunk(EVENTS.substring(30));
        byte[] all = bytes(whole);
        for (int cut = 0; cut <= all.length; cut++) {
            FakeClient own = new FakeClient();
            BodyFraming framing = Framings.chunked();
            headers.set("content-type", "text/event-stream");
            ResponseRelay relay = new ResponseRelay(
                    own, new UpstreamHead(200, "OK", headers, framing), false, UnpooledByteBufAllocator.DEFAULT);
            relay.begin("w", null);
            byte[] given = Arrays.copyOf(all, cut);
            give(relay, framing, given);
            relay.breakOff(reset());
            assertThat(own.brokenOff).isTrue();
            String where = "cut at " + cut;
            if (framing.betweenChunks() || framing.insideChunkData()) {
                assertBrokenOffWell(
                        Framings.dechunk(own.bytes()), Framings.dechunk(given).text(), where);
            } else {
                // Inside a size line or a chunk's line end nothing can be put without guessing.
                assertThat(own.bytes()).as(where).isEqualTo(given);
            }
        }
    }

    @Test
    void breakOff_randomChunkedStreams_neverEndTheBody() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 2_000; round++) {
            StringBuilder whole = new StringBuilder();
            for (int i = random.nextInt(5); i >= 0; i--) {
                String data = "data: " + "x".repeat(random.nextInt(60))
                        + List.of("\n\n", "\n", "").get(random.nextInt(3));
                whole.append(chunk(data));
            }
            byte[] given = Arrays.copyOf(bytes(whole.toString()), random.nextInt(whole.length() + 1));
            FakeClient own = new FakeClient();
            BodyFraming framing = Framings.chunked();
            headers.set("content-type", "text/event-stream");
            ResponseRelay relay = new ResponseRelay(
                    own, new UpstreamHead(200, "OK", headers, framing), false, UnpooledByteBufAllocator.DEFAULT);
            relay.begin("w", null);
            int cut = random.nextInt(given.length + 1);
            give(relay, framing, Arrays.copyOf(given, cut));
            give(relay, framing, Arrays.copyOfRange(given, cut, given.length));
            boolean canSpeak = framing.betweenChunks() || framing.insideChunkData();
            relay.breakOff(reset());
            Framings.Dechunked result = Framings.dechunk(own.bytes());
            String where = "seed " + SEED + ", round " + round;
            assertThat(result.complete()).as(where).isFalse();
            assertThat(result.text().endsWith(ERROR_EVENT)).as(where).isEqualTo(canSpeak);
        }
    }

    @Test
    void breakOff_missingMoreThanWorthFilling_saysNothing() throws Exception {
        BodyFraming framing = Framings.chunked();
        ResponseRelay relay = relay(framing, false);
        give(relay, framing, bytes("100000\r\ndata: x\n\n"));
        relay.breakOff(reset());
        assertThat(sent()).isEqualTo("100000\r\ndata: x\n\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "data: {\"a\":1}\n\n", "data: {\"a\":1}\n", "data: {\"a", "data: {\"a\":1}\r\n\r\n"})
    void breakOff_eventStreamUntilClose_endsWithOneErrorEvent(String given) throws Exception {
        BodyFraming framing = Framings.untilClose();
        ResponseRelay relay = relay(framing, false);
        give(relay, framing, bytes(given));
        relay.breakOff(reset());
        assertBrokenOffWell(Framings.dechunk(client.bytes()), given, given);
    }

    @Test
    void breakOff_eventStreamToHttp10_endsWithOneErrorEvent() throws Exception {
        BodyFraming framing = Framings.chunked();
        ResponseRelay relay = relay(framing, true);
        give(relay, framing, bytes("10\r\ndata: {\"a\""));
        relay.breakOff(reset());
        assertThat(sent()).isEqualTo("data: {\"a\"\n\n" + ERROR_EVENT);
    }

    @Test
    void breakOff_eventStreamWithLength_saysNothing() throws Exception {
        BodyFraming framing = Framings.length(100);
        ResponseRelay relay = relay(framing, false);
        give(relay, framing, bytes("data: x\n\n"));
        relay.breakOff(reset());
        assertThat(sent()).isEqualTo("data: x\n\n");
        assertThat(Objects.requireNonNull(client.error).code()).isEqualTo(ErrorCode.UPSTREAM_RESET);
    }

    @Test
    void breakOff_json_saysNothing() throws Exception {
        BodyFraming framing = Framings.chunked();
        ResponseRelay relay = relay(framing, false, "application/json");
        give(relay, framing, bytes("5\r\n{\"a\":\r\n"));
        relay.breakOff(reset());
        assertThat(sent()).isEqualTo("5\r\n{\"a\":\r\n");
        assertThat(client.brokenOff).isTrue();
        assertThat(client.ended).isFalse();
    }
}
