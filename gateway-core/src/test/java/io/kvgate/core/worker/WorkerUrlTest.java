package io.kvgate.core.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WorkerUrlTest {
    @ParameterizedTest
    @CsvSource({
        "http://worker:8000, http://worker:8000",
        "worker:8000, http://worker:8000",
        "worker, http://worker:80",
        "https://worker, https://worker:443",
        "HTTPS://Worker.Example.COM:8443/, https://worker.example.com:8443",
        "http://worker:8000/, http://worker:8000",
        "http://worker:8000//, http://worker:8000",
        "http://worker:8000/base/path/, http://worker:8000/base/path",
        "http://worker:8000/Base%20Path, http://worker:8000/Base%20Path",
        "127.0.0.1:30000, http://127.0.0.1:30000",
        "http://[::1]:8000, http://[::1]:8000",
        "[FE80::1], http://[fe80::1]:80",
        "' http://worker:8000 ', http://worker:8000",
        "http://worker:, http://worker:80",
        "http://worker:65535, http://worker:65535"
    })
    void parse_acceptable_isBroughtIntoOneForm(String given, String expected) {
        URI url = WorkerUrl.parse(given);
        assertThat(url).hasToString(expected);
        assertThat(WorkerUrl.normalize(url)).hasToString(expected);
        assertThat(WorkerUrl.parse(expected)).isEqualTo(url);
        assertThat(url.getHost()).isNotNull();
        assertThat(url.getPort()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "'', empty",
        "'   ', empty",
        "grpc://worker:8000, scheme not supported: grpc",
        "ftp://worker, scheme not supported: ftp",
        "http://, host",
        "http:///path, host missing",
        "http://:8000, host missing",
        "http://worker:0, port out of range: 0",
        "http://worker:65536, port out of range: 65536",
        "http://worker:eight, host or port not valid",
        "http://my_worker:8000, host or port not valid",
        "http://user:s3cret@worker:8000, user information is not allowed",
        "http://worker:8000@0, user information is not allowed",
        "http://worker:8000?token=s3cret, a query is not allowed",
        "http://worker:8000/path?, a query is not allowed",
        "http://worker:8000#s3cret, a fragment is not allowed",
        "http://wor ker:8000, at index",
        "http://worker:8000/%zz, at index"
    })
    void parse_unacceptable_isRefusedWithTheReasonAndNoSecret(String given, String reason) {
        assertThatThrownBy(() -> WorkerUrl.parse(given))
                .isInstanceOfSatisfying(
                        GatewayException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .hasMessageStartingWith("worker url: ")
                .hasMessageContaining(reason)
                .hasMessageContaining("expected: ")
                .hasMessageNotContaining("s3cret");
    }

    @Test
    void normalize_withoutScheme_isRefused() {
        assertThatThrownBy(() -> WorkerUrl.normalize(URI.create("//worker:8000")))
                .hasMessageContaining("scheme missing");
    }
}
