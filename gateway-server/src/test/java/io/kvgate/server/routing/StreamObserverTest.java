package io.kvgate.server.routing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class StreamObserverTest {
    private static void give(StreamObserver observer, String text) {
        ByteBuf buf = Unpooled.copiedBuffer(text, UTF_8);
        if (buf.isReadable()) {
            observer.payload(buf, 0, buf.readableBytes());
        }
        buf.release();
    }

    /** Places, counted in bytes given one by one, at which the observer stands between two events. */
    private static List<Integer> places(String stream) {
        StreamObserver observer = new StreamObserver();
        List<Integer> places = new ArrayList<>();
        for (int at = 0; at <= stream.length(); at++) {
            if (observer.betweenEvents()) {
                places.add(at);
            }
            if (at < stream.length()) {
                give(observer, stream.substring(at, at + 1));
            }
        }
        return places;
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r", "\r\n"})
    void betweenEvents_anyLineEnd_afterBlankLinesOnly(String lineEnd) {
        String event = "data: x" + lineEnd + "id: 1" + lineEnd + lineEnd;
        assertThat(places(event + event)).containsExactly(0, event.length(), 2 * event.length());
    }

    @Test
    void report005_mixedLineEnds_seenAtEachCut() {
        String stream = "data: 1\r\rdata: 2\n\ndata: 3\r\n\r\n";
        assertThat(places(stream)).containsExactly(0, 9, 18, 29);
        for (int cut = 0; cut <= stream.length(); cut++) {
            StreamObserver observer = new StreamObserver();
            give(observer, stream.substring(0, cut));
            give(observer, stream.substring(cut));
            assertThat(observer.betweenEvents()).as("cut at %s", cut).isTrue();
        }
    }

    @Test
    void report002_endMarkerInsideText_isNoEnd() {
        String stream = "data: {\"content\":\"say \\\"data: [DONE]\\n\\n\\\" now\"}\n\n";
        assertThat(places(stream)).containsExactly(0, stream.length());
    }

    @Test
    void betweenEvents_crlfBlankLineHalfThere_isFalse() {
        StreamObserver observer = new StreamObserver();
        give(observer, "data: x\r\n\r");
        assertThat(observer.betweenEvents()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true|data: {\"error\": {\"message\":\"no\"}}",
                "true|data:{\"error\":{\"message\":\"no\"}}",
                "true|data: { \"error\" : \"no\"}",
                "false|data: {\"errors\":1}",
                "false|data: {\"choices\":[{\"delta\":{\"content\":\"error\"}}]}",
                "false|data: {\"content\":\"data: {\\\"error\\\":\"}",
                "false|{\"error\":{}}",
                "false|''",
            })
    void beganWithError_firstEventOnly_atEachCut(boolean expected, String stream) {
        for (int cut = 0; cut <= stream.length(); cut++) {
            StreamObserver observer = new StreamObserver();
            give(observer, stream.substring(0, cut));
            give(observer, stream.substring(cut));
            give(observer, "\n\ndata: {\"error\": {}}\n\n");
            assertThat(observer.beganWithError()).as("cut at %s", cut).isEqualTo(expected);
        }
    }
}
