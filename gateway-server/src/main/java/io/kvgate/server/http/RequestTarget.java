package io.kvgate.server.http;

import org.jspecify.annotations.Nullable;

/**
 * A request target in origin form.
 *
 * @param path without query; begins with a slash, or is {@code *}
 * @param pathAndQuery as received, scheme and authority taken off
 */
record RequestTarget(String path, String pathAndQuery) {
    /** The target, or null if it has neither origin, absolute nor asterisk form. */
    static @Nullable RequestTarget of(String uri) {
        String origin = uri;
        if (uri.regionMatches(true, 0, "http://", 0, 7) || uri.regionMatches(true, 0, "https://", 0, 8)) {
            origin = withoutAuthority(uri);
        }
        boolean known = origin.startsWith("/") || origin.equals("*");
        if (!known || !origin.chars().allMatch(c -> c > 0x20 && c != 0x7F && c != '#')) {
            return null;
        }
        int question = origin.indexOf('?');
        return new RequestTarget(question < 0 ? origin : origin.substring(0, question), origin);
    }

    private static String withoutAuthority(String uri) {
        int end = uri.indexOf("//") + 2;
        while (end < uri.length() && uri.charAt(end) != '/' && uri.charAt(end) != '?') {
            end++;
        }
        String rest = uri.substring(end);
        return rest.startsWith("/") ? rest : "/" + rest;
    }
}
