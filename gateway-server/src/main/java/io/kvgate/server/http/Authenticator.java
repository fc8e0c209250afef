package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.server.config.AuthConfig;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks bearer keys. Digests are compared in constant time, so that neither content nor length of a key can be measured.
 *
 * <p>Threading: any thread.
 */
final class Authenticator {
    private static final String SCHEME = "Bearer ";

    private final byte @Nullable [] apiKey;
    private final List<byte[]> adminKeys;

    Authenticator(AuthConfig config) {
        apiKey = config.apiKey() == null ? null : digest(config.apiKey());
        adminKeys =
                config.controlPlaneKeys().stream().map(Authenticator::digest).toList();
    }

    /** The refusal, or null if the header opens the route. */
    @Nullable
    GatewayException refusal(ControlRoute.Access access, @Nullable String authorization) {
        boolean open =
                switch (access) {
                    case PUBLIC -> true;
                    case KEY -> apiKey == null || matches(apiKey, authorization);
                    case ADMIN ->
                        adminKeys.isEmpty()
                                ? apiKey == null || matches(apiKey, authorization)
                                : matchesAny(adminKeys, authorization);
                };
        if (open) {
            return null;
        }
        String what = authorization == null ? "missing" : "wrong";
        return new GatewayException(ErrorCode.UNAUTHORIZED, "Authorization: " + what + " key (expected: Bearer <key>)");
    }

    private static boolean matchesAny(List<byte[]> keys, @Nullable String authorization) {
        boolean any = false;
        for (byte[] key : keys) {
            any |= matches(key, authorization);
        }
        return any;
    }

    private static boolean matches(byte[] key, @Nullable String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return false;
        }
        return MessageDigest.isEqual(
                key, digest(authorization.substring(SCHEME.length()).trim()));
    }

    private static byte[] digest(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is part of every JDK", e);
        }
    }
}
