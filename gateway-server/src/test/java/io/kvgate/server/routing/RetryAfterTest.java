package io.kvgate.server.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RetryAfterTest {
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "1,1",
        "' 7 ',7",
        "3600,3600",
        "3601,3600",
        "999999,3600",
        "1000000,0",
        "-1,0",
        "+1,0",
        "1.5,0",
        "'',0",
        "'Sun, 29 Nov 2026 20:45:49 GMT',0"
    })
    void nanos_value_isWholeSecondsOrNothing(String value, long seconds) {
        assertThat(RetryAfter.nanos(DefaultHttpHeadersFactory.headersFactory()
                        .withValidation(false)
                        .newHeaders()
                        .set("Retry-After", value)))
                .isEqualTo(Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void nanos_noHeader_isNothing() {
        assertThat(RetryAfter.nanos(new DefaultHttpHeaders())).isZero();
    }
}
