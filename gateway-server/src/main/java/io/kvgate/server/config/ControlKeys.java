package io.kvgate.server.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads the entries of {@code --control-plane-api-keys}. Messages never show a key. */
final class ControlKeys {
    static final String EXPECTED = "id:name:role:key with role admin or user";

    private ControlKeys() {}

    /** The keys of administrators, in order; what is wrong goes to {@code in}. */
    static List<String> read(FlagReader in) {
        Flag<String> flag = MoreOptions.CONTROL_PLANE_API_KEYS;
        List<String> keys = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        List<String> entries = in.many(flag, List.of());
        for (int i = 0; i < entries.size(); i++) {
            String[] parts = entries.get(i).split(":", 4);
            boolean wellFormed = parts.length == 4
                    && !parts[0].isEmpty()
                    && ValueType.SECRET.parser().apply(parts[3]) != null
                    && (parts[2].equalsIgnoreCase("admin") || parts[2].equalsIgnoreCase("user"));
            if (!wellFormed) {
                in.problem(flag.name() + ": entry " + (i + 1) + ", not shown (expected: " + EXPECTED + ")");
            } else if (!ids.add(parts[0])) {
                in.problem(flag.name() + ": id " + parts[0] + " twice (expected: each id once)");
            } else if (parts[2].equalsIgnoreCase("admin")) {
                keys.add(parts[3]);
            } else {
                in.note(flag.name() + ": id " + parts[0] + " has role user, which opens none of the gateway's routes");
            }
        }
        if (keys.isEmpty() && !ids.isEmpty()) {
            in.problem(
                    flag.name() + ": no entry with role admin (expected: at least one, else nobody could administer)");
        }
        return keys;
    }
}
