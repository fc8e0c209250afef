package io.kvgate.server.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HopByHopTest {
    @Test
    void strip_usualNames_areRemovedInAnyCase() {
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.add("Connection", "keep-alive").add("KEEP-ALIVE", "timeout=5").add("Transfer-Encoding", "chunked");
        headers.add("te", "trailers").add("Trailer", "x").add("Upgrade", "h2c").add("X-Stays", "1");
        HopByHop.strip(headers);
        assertThat(headers.names()).containsExactly("X-Stays");
    }

    @Test
    void strip_nominated_areRemoved() {
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.add("Connection", "close, X-One ,,x-two").add("Connection", "X-THREE");
        headers.add("x-one", "1").add("X-Two", "2").add("x-Three", "3").add("x-four", "4");
        HopByHop.strip(headers);
        assertThat(headers.names()).containsExactly("x-four");
    }

    /** Whatever the case and however many names: without these the message would be another. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length",
                "content-length",
                "Content-Type, Content-Length, Content-Encoding",
                "a, b, c, d, e, f, Content-Length, CONTENT-TYPE, Content-Encoding",
            })
    void strip_headersOfTheMessageNominated_stay(String nominated) {
        HttpHeaders headers = new DefaultHttpHeaders();
        headers.add("Content-Length", "5").add("Content-Type", "text/plain").add("Content-Encoding", "gzip");
        headers.add("Connection", nominated);
        HopByHop.strip(headers);
        assertThat(headers.names()).containsExactlyInAnyOrder("Content-Length", "Content-Type", "Content-Encoding");
    }
}
