package io.kvgate.server.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Gives each request its id: the client's, if it sent one that can be used, else a new one whose prefix tells the endpoint.
 *
 * <p>Threading: any thread.
 */
final class RequestIds {
    private static final int MAX_LENGTH = 256;
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final int RANDOM_LENGTH = 24;

    private final List<String> headers;
    private final RandomGenerator random;

    RequestIds(List<String> headers, RandomGenerator random) {
        this.headers = headers;
        this.random = random;
    }

    String idFor(String path, HttpHeaders received) {
        for (String name : headers) {
            String value = received.get(name);
            if (value != null && usable(value)) {
                return value;
            }
        }
        StringBuilder id = new StringBuilder(40).append(prefix(path));
        for (int i = 0; i < RANDOM_LENGTH; i++) {
            id.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return id.toString();
    }

    private static boolean usable(String value) {
        return !value.isEmpty() && value.length() <= MAX_LENGTH && value.chars().allMatch(c -> c > 0x20 && c < 0x7F);
    }

    private static String prefix(String path) {
        return switch (path) {
            case "/v1/chat/completions" -> "chatcmpl-";
            case "/v1/completions" -> "cmpl-";
            case "/generate" -> "gnt-";
            case "/v1/responses" -> "resp-";
            default -> "req-";
        };
    }
}
