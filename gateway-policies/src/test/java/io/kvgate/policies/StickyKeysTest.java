package io.kvgate.policies;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.time.FakeTicker;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class StickyKeysTest {
    private static final long SEED = 20_261_129L;
    private static final Duration IDLE = Duration.ofSeconds(30);
    private static final Duration SWEEP = Duration.ofSeconds(5);

    private final FakeTicker ticker = new FakeTicker();

    private StickyKeys keys(int maxEntries) {
        return new StickyKeys(maxEntries, IDLE, SWEEP, ticker);
    }

    private static URI url(int number) {
        return URI.create("http://w" + number + ":1");
    }

    /** The model's entry: workers, older first, and the moment of the last use. */
    private record Kept(List<URI> workers, long usedMillis) {}

    @Test
    void anyOperations_manyKeys_areAsInAPlainMap() {
        Random random = new Random(SEED);
        StickyKeys keys = keys(1_000_000);
        Map<String, Kept> model = new HashMap<>();
        long nowMillis = 0;
        long sweptMillis = 0;
        for (int step = 0; step < 60_000; step++) {
            String key = "k" + random.nextInt(300);
            URI url = url(random.nextInt(6));
            if (random.nextInt(10) == 0) {
                int millis = random.nextInt(1_000);
                nowMillis += millis;
                ticker.advanceMillis(millis);
                keys.maintain();
                if (nowMillis - sweptMillis >= SWEEP.toMillis()) {
                    sweptMillis = nowMillis;
                    long now = nowMillis;
                    model.values().removeIf(kept -> now - kept.usedMillis >= IDLE.toMillis());
                }
            } else {
                StickyKeys.Entry entry = keys.use(key);
                Kept kept = model.get(key);
                assertThat(workers(entry))
                        .as("step %d, seed %d", step, SEED)
                        .isEqualTo(kept == null ? List.of() : kept.workers);
                List<URI> after = new ArrayList<>(kept == null ? List.of() : kept.workers);
                if (entry == null) {
                    assertThat(keys.add(key, url)).isTrue();
                    after.add(url);
                } else if (random.nextInt(3) == 0) {
                    assertThat(keys.append(key, entry, url)).isTrue();
                    after.add(url);
                }
                model.put(key, new Kept(after.subList(Math.max(0, after.size() - 2), after.size()), nowMillis));
            }
            assertThat(keys.size()).as("step %d, seed %d", step, SEED).isEqualTo(model.size());
        }
        assertThat(model).isNotEmpty();
    }

    private static List<URI> workers(StickyKeys.@Nullable Entry entry) {
        if (entry == null) {
            return List.of();
        }
        return entry.second() == null ? List.of(entry.first()) : List.of(entry.first(), requireNonNull(entry.second()));
    }

    @Test
    void add_presentKey_isRefused() {
        StickyKeys keys = keys(10);
        assertThat(keys.add("k", url(1))).isTrue();
        assertThat(keys.add("k", url(2))).isFalse();
        assertThat(workers(keys.use("k"))).containsExactly(url(1));
        assertThat(keys.size()).isEqualTo(1);
    }

    @Test
    void append_entryReplacedMeanwhile_isRefused() {
        StickyKeys keys = keys(10);
        keys.add("k", url(1));
        StickyKeys.Entry seen = requireNonNull(keys.use("k"));
        assertThat(keys.append("k", seen, url(2))).isTrue();
        assertThat(keys.append("k", seen, url(3))).isFalse();
        assertThat(workers(keys.use("k"))).containsExactly(url(1), url(2));
    }

    @Test
    void add_moreThanAllowed_sizeStaysAtTheLimit() {
        for (int limit : new int[] {1, 2, 3, 17, 100}) {
            StickyKeys keys = keys(limit);
            for (int i = 0; i < 5 * limit + 50; i++) {
                keys.add("k" + i, url(1));
                assertThat(keys.size()).isEqualTo(Math.min(i + 1, limit));
                assertThat(keys.use("k" + i)).as("the new one stays").isNotNull();
            }
        }
    }

    @Test
    void add_moreThanAllowed_keysInUseStay() {
        StickyKeys keys = keys(1_000);
        int rounds = 10_000;
        int lost = 0;
        for (int i = 0; i < 100; i++) {
            keys.add("hot" + i, url(1));
        }
        for (int i = 0; i < rounds; i++) {
            ticker.advanceMillis(1);
            keys.add("cold" + i, url(1));
            String hot = "hot" + i % 100;
            if (keys.use(hot) == null) {
                lost++;
                keys.add(hot, url(1));
            }
        }
        // A hot key is among the youngest tenth at any time, so all sixteen of a sample would have to be.
        assertThat(lost).isZero();
        assertThat(keys.size()).isEqualTo(1_000);
    }

    @Test
    void add_moreThanAllowed_theOldestThirdGoes() {
        StickyKeys keys = keys(3_000);
        for (int i = 0; i < 4_000; i++) {
            ticker.advanceMillis(1);
            keys.add("k" + i, url(1));
        }
        int oldLeft = 0;
        int youngLeft = 0;
        for (int i = 0; i < 1_000; i++) {
            oldLeft += keys.use("k" + i) == null ? 0 : 1;
            youngLeft += keys.use("k" + (2_000 + i)) == null ? 0 : 1;
        }
        assertThat(youngLeft).isEqualTo(1_000);
        assertThat(oldLeft).isLessThan(350);
    }

    @Test
    void maintain_moreKeysThanOnePortion_allIdleOnesGo() {
        StickyKeys keys = keys(1_000_000);
        for (int i = 0; i < 50_000; i++) {
            keys.add("k" + i, url(1));
        }
        ticker.advance(IDLE);
        keys.use("k77");
        keys.maintain();
        assertThat(keys.size()).isBetween(20_000, 40_000);
        keys.maintain();
        keys.maintain();
        assertThat(keys.size()).isEqualTo(1);
    }
}
