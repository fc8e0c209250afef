package io.kvgate.server.http;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;

/** Which headers make which key: the header side of the rows C of the policy consistent_hashing and M12 of manual. */
final class HeaderKeysTest {
    /** {@code name: value | name: value}, without validation, as a decoder would give them. */
    private static HttpHeaders headers(String text) {
        HttpHeaders headers =
                DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders();
        for (String line : text.split("\\|", -1)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.add(
                        line.substring(0, colon).strip(),
                        line.substring(colon + 1).strip());
            }
        }
        return headers;
    }

    @ParameterizedTest(name = "{0}: {1} -> target {2}, key {3}, implicit {4}")
    @CsvSource({
        "C1,   x-smg-routing-key: tenant-42, , tenant-42, ",
        "C3,   authorization: Bearer sk-test, , , Bearer sk-test",
        "C4,   x-forwarded-for: 203.0.113.9, , , 203.0.113.9",
        "C6,   x-smg-routing-key: session-7 | authorization: Bearer a | cookie: sid=abc, , session-7, Bearer a",
        "C7,   cookie: sid=abc | x-forwarded-for: 203.0.113.9 | authorization: Bearer sk-test, , , Bearer sk-test",
        "C9,   authorization: | cookie: sid=abc, , , ",
        "C9,   authorization: Bearer ü | cookie: sid=abc, , , ",
        "C10,  x-smg-routing-key: | cookie: sid=abc, , , sid=abc",
        "C11,  accept: */*, , , ",
        "C12,  x-smg-target-worker: 1 | x-smg-routing-key: tenant-42, 1, tenant-42, ",
        "C13a, x-smg-target-worker: | x-smg-routing-key: tenant-42, , tenant-42, ",
        "C26,  X-SMG-ROUTING-KEY: tenant-42, , tenant-42, ",
        "M12,  x-smg-routing-key:, , , ",
        "M12,  x-smg-routing-key: zoë, , , ",
        "M20,  x-smg-routing-key: K, , K, "
    })
    void keys_row(ArgumentsAccessor row) {
        HeaderKeys keys = new HeaderKeys(headers(requireNonNull(row.getString(1))));
        assertThat(keys.targetWorker()).isEqualTo(row.getString(2));
        assertThat(keys.routingKey()).isEqualTo(row.getString(3));
        assertThat(keys.implicitKey()).isEqualTo(row.getString(4));
    }

    @Test
    void key_headerGivenTwice_theFirstDecides() {
        HeaderKeys keys = new HeaderKeys(headers("x-smg-routing-key: a | x-smg-routing-key: b"));
        assertThat(keys.routingKey()).isEqualTo("a");
    }
}
