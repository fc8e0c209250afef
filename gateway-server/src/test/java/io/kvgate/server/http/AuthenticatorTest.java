package io.kvgate.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.server.config.AuthConfig;
import io.kvgate.server.http.ControlRoute.Access;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AuthenticatorTest {
    private static Authenticator with(@Nullable String apiKey, String... adminKeys) {
        return new Authenticator(new AuthConfig(apiKey, Arrays.asList(adminKeys)));
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // the gateway's key, an administrator's key, what is sent, what PUBLIC, KEY and ADMIN routes say
                "-,-,-,true,true,true",
                "-,-,Bearer any,true,true,true",
                "key,-,Bearer key,true,true,true",
                "key,-,Bearer other,true,false,false",
                "key,-,-,true,false,false",
                "-,adm,-,true,true,false",
                "-,adm,Bearer adm,true,true,true",
                "key,adm,Bearer key,true,true,false",
                "key,adm,Bearer adm,true,false,true",
            })
    void refusal_table(
            @Nullable String api,
            @Nullable String admin,
            @Nullable String sent,
            boolean open,
            boolean key,
            boolean adm) {
        Authenticator auth = admin == null ? with(api) : with(api, "first", admin, "last");
        assertThat(auth.refusal(Access.PUBLIC, sent) == null).isEqualTo(open);
        assertThat(auth.refusal(Access.KEY, sent) == null).isEqualTo(key);
        assertThat(auth.refusal(Access.ADMIN, sent) == null).isEqualTo(adm);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer k-1", "bearer k-1", "BEARER k-1", "bEaReR   k-1  "})
    void refusal_schemeInAnyCase_opens(String sent) {
        assertThat(with("k-1").refusal(Access.KEY, sent)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "k-1",
                "Bearer",
                "Bearer ",
                "Bearerk-1",
                "Bearer K-1",
                "Bearer k-",
                "Bearer k-1x",
                "Bearer k-1, Bearer k-1",
                "Basic k-1",
                "Basic ay0x",
                "Token k-1",
                " Bearer k-1",
            })
    void refusal_anythingElse_isUnauthorizedAndRepeatsNoKey(String sent) {
        GatewayException refusal = Objects.requireNonNull(with("k-1").refusal(Access.KEY, sent));
        assertThat(refusal.code()).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refusal.message()).contains("wrong").doesNotContain("k-1");
    }

    @Test
    void refusal_noHeader_saysMissing() {
        GatewayException refusal = Objects.requireNonNull(with("k-1").refusal(Access.KEY, null));
        assertThat(refusal.message()).contains("missing");
    }

    @Test
    void refusal_severalAdminKeys_eachOpens() {
        Authenticator auth = with(null, "a", "b", "c");
        for (String key : List.of("a", "b", "c")) {
            assertThat(auth.refusal(Access.ADMIN, "Bearer " + key)).isNull();
        }
        assertThat(auth.refusal(Access.ADMIN, "Bearer abc")).isNotNull();
    }
}
