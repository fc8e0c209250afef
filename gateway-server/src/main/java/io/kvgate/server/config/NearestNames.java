package io.kvgate.server.config;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Which known names a misspelt one may have meant. */
final class NearestNames {
    private static final int MAX_NAMES = 3;

    private NearestNames() {}

    /** At most three, nearest first; empty if none is near. */
    static List<String> of(String given, List<String> known) {
        String name = given.toLowerCase(Locale.ROOT).replace('_', '-');
        int limit = Math.max(2, name.length() / 3);
        return known.stream()
                .filter(candidate -> distance(name, candidate, limit) <= limit)
                .sorted(Comparator.comparingInt((String candidate) -> distance(name, candidate, limit))
                        .thenComparing(Comparator.naturalOrder()))
                .limit(MAX_NAMES)
                .toList();
    }

    /** Insertions, removals and replacements between the two; any number above {@code limit} if it is above. */
    private static int distance(String left, String right, int limit) {
        if (Math.abs(left.length() - right.length()) > limit) {
            return limit + 1;
        }
        int[] row = new int[right.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[right.length()];
    }
}
