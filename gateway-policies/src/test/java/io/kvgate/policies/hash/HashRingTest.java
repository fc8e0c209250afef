package io.kvgate.policies.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HashRingTest {
    private static final long SEED = 20_261_129L;
    private static final List<String> R3 = urls("ABC");

    private static List<String> urls(String names) {
        List<String> urls = new ArrayList<>();
        for (char name : names.toLowerCase(Locale.ROOT).toCharArray()) {
            urls.add("http://gpu-" + name + ":9000");
        }
        return urls;
    }

    private static List<String> fleet(int size) {
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            urls.add("http://10.0." + i / 250 + "." + i % 250 + ":8000");
        }
        return urls;
    }

    private static String owner(HashRing ring, List<String> urls, long hash) {
        return urls.get(ring.ownerAt(ring.find(hash)));
    }

    /** The letters of the workers in the order in which a walk meets them. */
    private static String order(HashRing ring, String names, String key) {
        Set<Character> met = new LinkedHashSet<>();
        int point = ring.find(KeyHash.of(key));
        for (int i = 0; i < ring.size(); i++) {
            met.add(names.charAt(ring.ownerAt(point)));
            point = ring.next(point);
        }
        StringBuilder order = new StringBuilder();
        met.forEach(order::append);
        return order.toString();
    }

    @Test
    void points_ofR3_areTheGoldenOnes() {
        HashRing ring = HashRing.EMPTY.of(R3);
        assertThat(ring.size()).isEqualTo(450);
        long[] hashes = {11160812727229485L, 15750037076481181L, 91303559282883405L};
        for (int i = 0; i < 3; i++) {
            assertThat(ring.hashAt(i)).isEqualTo(hashes[i]);
            assertThat("BAB".charAt(i)).isEqualTo("ABC".charAt(ring.ownerAt(i)));
        }
        assertThat(Long.toUnsignedString(ring.hashAt(449))).isEqualTo("18434293479090131365");
        assertThat(ring.ownerAt(449)).isEqualTo(2);
    }

    @ParameterizedTest(name = "{0}: {1}, with D {2}")
    @CsvSource({
        "tenant-42, CAB, CADB",
        "session-7, ACB, ADCB",
        "session-8, BCA, BDCA",
        "user:zoë, BCA, BCAD",
        "😀, CBA, CBDA",
        "Bearer sk-test, BAC, BDAC",
        "203.0.113.9, BCA, ",
        "sid=abc, CBA, ",
        "k0, BCA, ",
        "k1, BCA, ",
        "k2, ABC, DABC",
        "k3, CBA, ",
        "k4, BAC, DBAC",
        "k5, BAC, ",
        "wrap-411, BAC, ",
        "bf80870f3fe52883, BAC, ",
        "6fc1ebd4f4d6ea31, CAB, ",
        "fca8159d61287ff8, ABC, ",
        "48b2c92616fc193d, CAB, ",
        "cd6b1c920d3f662c, ACB, ",
        "f71b04e2572234bc, BCA, ",
        "d12ba3ba3964c7ed, BCA, ",
        "20eb1e39e891c891, ABC, "
    })
    void walk_goldenKeys_meetsWorkersInGoldenOrder(String key, String order, String orderWithD) {
        HashRing ring = HashRing.EMPTY.of(R3);
        assertThat(order(ring, "ABC", key)).isEqualTo(order);
        if (orderWithD != null) {
            assertThat(order(ring.of(urls("ABCD")), "ABCD", key)).isEqualTo(orderWithD);
        }
    }

    @Test
    void of_anyOrderAndAnyHistory_isTheSameRing() {
        Random random = new Random(SEED);
        List<String> urls = fleet(20);
        HashRing direct = HashRing.EMPTY.of(urls);
        List<String> shuffled = new ArrayList<>(urls);
        Collections.shuffle(shuffled, random);
        HashRing other = HashRing.EMPTY
                .of(shuffled.subList(0, 3))
                .of(fleet(40))
                .of(shuffled.subList(5, 12))
                .of(shuffled);
        assertThat(other.size()).isEqualTo(direct.size());
        for (int i = 0; i < direct.size(); i++) {
            assertThat(other.hashAt(i)).isEqualTo(direct.hashAt(i));
            assertThat(shuffled.get(other.ownerAt(i))).isEqualTo(urls.get(direct.ownerAt(i)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64})
    void find_anyHash_isWhatASortedMapSays(int size) {
        List<String> urls = fleet(size);
        HashRing ring = HashRing.EMPTY.of(urls);
        TreeMap<Long, String> model = new TreeMap<>(Long::compareUnsigned);
        for (String url : urls) {
            for (int i = 0; i < HashRing.POINTS_PER_URL; i++) {
                model.put(KeyHash.of(url + "#" + i), url);
            }
        }
        Random random = new Random(SEED);
        List<Long> hashes = new ArrayList<>(List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE));
        random.longs(3_000).forEach(hashes::add);
        model.keySet().forEach(point -> hashes.addAll(List.of(point - 1, point, point + 1)));
        for (long hash : hashes) {
            Map.Entry<Long, String> expected = model.ceilingEntry(hash);
            assertThat(owner(ring, urls, hash))
                    .as("hash %s, seed %d", Long.toUnsignedString(hash), SEED)
                    .isEqualTo((expected == null ? model.firstEntry() : expected).getValue());
        }
    }

    /** Of 10,000 keys k0, k1, …, as in the table. */
    @Test
    void of_oneMoreWorker_movesTheGoldenNumberOfKeysAllToIt() {
        HashRing ring = HashRing.EMPTY.of(R3);
        HashRing more = ring.of(urls("ABCD"));
        int moved = 0;
        for (int i = 0; i < 10_000; i++) {
            long hash = KeyHash.of("k" + i);
            String after = owner(more, urls("ABCD"), hash);
            if (!after.equals(owner(ring, R3, hash))) {
                moved++;
                assertThat(after).isEqualTo("http://gpu-d:9000");
            }
        }
        assertThat(moved).isEqualTo(2_871);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8, 16, 32})
    void of_oneWorkerMoreOrLess_movesAFairShareAndNothingElse(int size) {
        Random random = new Random(SEED + size);
        int keys = 20_000;
        int rounds = 20;
        double movedInAll = 0;
        for (int round = 0; round < rounds; round++) {
            List<String> before = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                before.add("http://w" + i + "-" + random.nextInt(1_000_000) + ":8000");
            }
            String joining = "http://new-" + random.nextInt(1_000_000) + ":8000";
            List<String> after = new ArrayList<>(before);
            after.add(random.nextInt(size + 1), joining);
            HashRing ofBefore = HashRing.EMPTY.of(before);
            HashRing ofAfter = ofBefore.of(after);
            int moved = 0;
            for (int i = 0; i < keys; i++) {
                long hash = random.nextLong();
                String to = owner(ofAfter, after, hash);
                // Read backwards this is the removal of a worker.
                if (!to.equals(owner(ofBefore, before, hash))) {
                    moved++;
                    assertThat(to).isEqualTo(joining);
                }
            }
            movedInAll += (double) moved / keys;
            // One worker's share varies by 8 % of the mean with 150 points; this is more than four times that.
            assertThat((double) moved / keys)
                    .as("%d workers, round %d, seed %d", size, round, SEED)
                    .isBetween(0.65 / (size + 1), 1.35 / (size + 1));
        }
        assertThat(movedInAll / rounds).as("seed %d", SEED).isBetween(0.8 / (size + 1), 1.2 / (size + 1));
    }

    @Test
    void owners_ofManyKeys_areBalanced() {
        List<String> urls = fleet(16);
        HashRing ring = HashRing.EMPTY.of(urls);
        Random random = new Random(SEED);
        int[] keys = new int[16];
        for (int i = 0; i < 160_000; i++) {
            keys[ring.ownerAt(ring.find(random.nextLong()))]++;
        }
        // The share of a worker with 150 points varies by 1/sqrt(150) = 8 % of the mean.
        assertThat(IntStream.of(keys).boxed())
                .as("seed %d", SEED)
                .allSatisfy(count -> assertThat(count).isBetween(7_000, 13_000));
    }

    @Test
    void of_sameUrlTwice_isRefused() {
        assertThatThrownBy(() -> HashRing.EMPTY.of(List.of("http://a:1", "http://a:1")))
                .hasMessage("urls: http://a:1 twice (expected: each once)");
    }

    @Test
    void of_none_isEmpty() {
        assertThat(HashRing.EMPTY.size()).isZero();
        assertThat(HashRing.EMPTY.of(R3).of(List.of()).size()).isZero();
    }
}
