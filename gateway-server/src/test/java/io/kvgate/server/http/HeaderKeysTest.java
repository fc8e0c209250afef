package io.kvgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The header side of vectors C1 to C13b, C26 and M12: which header is a key, and which value is none. */
final class HeaderKeysTest {
    private static HeaderKeys keys(String... namesAndValues) {
        HttpHeaders headers = new DefaultHttpHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.add(namesAndValues[i], namesAndValues[i + 1]);
        }
        return new HeaderKeys(headers);
    }

    @Test
    void c1_routingKey_isTakenWhole() {
        assertThat(keys("x-smg-routing-key", "tenant-42").routingKey()).isEqualTo("tenant-42");
        assertThat(keys("x-smg-routing-key", "a b\t~!").routingKey()).isEqualTo("a b\t~!");
    }

    @Test
    void c26_nameInUpperCase_isTheSame() {
        assertThat(keys("X-SMG-ROUTING-KEY", "tenant-42").routingKey()).isEqualTo("tenant-42");
        assertThat(keys("X-Smg-Target-Worker", "1").targetWorker()).isEqualTo("1");
        assertThat(keys("AUTHORIZATION", "Bearer k").implicitKey()).isEqualTo("Bearer k");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "user:zo\u00eb", "\u0080", "a\u00ff"})
    void c10_routingKeyEmptyOrNotVisible_isAbsent(String value) {
        assertThat(keys("x-smg-routing-key", value).routingKey()).isNull();
        assertThat(keys("x-smg-routing-key", value, "cookie", "sid=abc").implicitKey())
                .isEqualTo("sid=abc");
    }

    @Test
    void c3_authorization_isAnImplicitKeyWithItsScheme() {
        assertThat(keys("authorization", "Bearer sk-test").implicitKey()).isEqualTo("Bearer sk-test");
    }

    @Test
    void c4_forwardedFor_isTheWholeList() {
        assertThat(keys("x-forwarded-for", "203.0.113.9").implicitKey()).isEqualTo("203.0.113.9");
        assertThat(keys("x-forwarded-for", "203.0.113.9, 10.0.0.1").implicitKey())
                .isEqualTo("203.0.113.9, 10.0.0.1");
    }

    @Test
    void c7_severalImplicitKeys_theFirstPresentDecides() {
        HeaderKeys all = keys("cookie", "sid=abc", "x-forwarded-for", "203.0.113.9", "authorization", "Bearer sk-test");
        assertThat(all.implicitKey()).isEqualTo("Bearer sk-test");
        assertThat(keys("cookie", "sid=abc", "x-forwarded-for", "203.0.113.9").implicitKey())
                .isEqualTo("203.0.113.9");
        assertThat(keys("cookie", "sid=abc").implicitKey()).isEqualTo("sid=abc");
    }

    @Test
    void c9_firstPresentIsUnusable_thereIsNoKeyAtAll() {
        assertThat(keys("authorization", "", "cookie", "sid=abc").implicitKey()).isNull();
        assertThat(keys("authorization", "Bearer \u00e9", "cookie", "sid=abc").implicitKey())
                .isNull();
    }

    @Test
    void c11_noHeader_noKey() {
        assertThat(keys("accept", "*/*").targetWorker()).isNull();
        assertThat(keys("accept", "*/*").routingKey()).isNull();
        assertThat(keys("accept", "*/*").implicitKey()).isNull();
    }

    /** What it points at is for the policy to judge. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "-1", "abc", "1.0", "+1", "01"})
    void c12_target_isGivenAsWritten(String value) {
        assertThat(keys("x-smg-target-worker", value).targetWorker()).isEqualTo(value);
    }

    @Test
    void c13a_emptyTarget_isAbsent() {
        assertThat(keys("x-smg-target-worker", "").targetWorker()).isNull();
    }

    @Test
    void headerGivenTwice_theFirstDecides() {
        assertThat(keys("x-smg-routing-key", "a", "x-smg-routing-key", "b").routingKey())
                .isEqualTo("a");
    }
}
