package io.kvgate.server.body;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A few names of members, each found by one look into a table without collisions. Immutable.
 *
 * <p>The table's hash takes length, first, middle and last byte of a name; a multiplier under which the names of the set fall into
 * different places is looked for when the set is made.
 *
 * @param <E> what the names stand for
 */
final class NameSet<E extends Enum<E>> {
    private static final int TABLE_BITS = 7;
    private static final int ATTEMPTS = 100_000;
    private static final byte NONE = -1;

    private final List<E> members;
    private final List<byte[]> names;
    private final E other;
    private final E end;
    private final byte[] table = new byte[1 << TABLE_BITS];
    private final int multiplier;

    private NameSet(List<E> members, E other, E end) {
        this.members = members;
        this.other = other;
        this.end = end;
        names = members.stream()
                .map(member -> member.name().toLowerCase(Locale.ROOT).getBytes(US_ASCII))
                .toList();
        multiplier = multiplier();
        Arrays.fill(table, NONE);
        for (int i = 0; i < names.size(); i++) {
            byte[] name = names.get(i);
            table[place(name, 0, name.length, multiplier)] = (byte) i;
        }
    }

    /**
     * The names of these constants in lower case.
     *
     * @param other stands for any other name
     * @param end stands for the end of an object
     */
    static <E extends Enum<E>> NameSet<E> of(E[] constants, E other, E end) {
        List<E> members = new ArrayList<>(Arrays.asList(constants));
        members.remove(other);
        members.remove(end);
        return new NameSet<>(List.copyOf(members), other, end);
    }

    private int multiplier() {
        for (int odd = 0x9E3779B1, i = 0; i < ATTEMPTS; odd += 0x3C6EF372, i++) {
            long taken0 = 0;
            long taken1 = 0;
            for (byte[] name : names) {
                int place = place(name, 0, name.length, odd);
                taken0 |= place < Long.SIZE ? 1L << place : 0;
                taken1 |= place >= Long.SIZE ? 1L << place : 0;
            }
            if (Long.bitCount(taken0) + Long.bitCount(taken1) == names.size()) {
                return odd;
            }
        }
        throw new IllegalArgumentException("names: " + names.size() + " that collide (expected: fewer)");
    }

    private static int place(byte[] bytes, int from, int to, int multiplier) {
        int key = bytes[from] | bytes[(from + to) >>> 1] << 8 | bytes[to - 1] << 16 | (to - from) << 24;
        return (key * multiplier) >>> (Integer.SIZE - TABLE_BITS);
    }

    /** What this name stands for. */
    E find(byte[] bytes, int from, int to) {
        if (from == to) {
            return other;
        }
        int candidate = table[place(bytes, from, to, multiplier)];
        if (candidate == NONE) {
            return other;
        }
        byte[] name = names.get(candidate);
        return Arrays.equals(name, 0, name.length, bytes, from, to) ? members.get(candidate) : other;
    }

    /** What stands for the end of an object. */
    E end() {
        return end;
    }
}
