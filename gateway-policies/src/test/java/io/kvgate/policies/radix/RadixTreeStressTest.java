package io.kvgate.policies.radix;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads on one small tree, so that they meet on the same nodes; then everything is counted anew. */
final class RadixTreeStressTest {
    private static final int WORKERS = 6;
    private static final String[] HEADS = {"system prompt ", "system prompter ", "日本語の", "日旦", "", "😀😁"};

    private final TreeFixture fixture = new TreeFixture();
    private final AtomicBoolean stop = new AtomicBoolean();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void insertSweepAndRemove_together_leaveASoundTree(long seed) throws Exception {
        // TR22
        run(seed, 4, 20_000);
    }

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14})
    void insertSweepAndRemove_togetherForLong_leaveASoundTree(long seed) throws Exception {
        run(seed, 8, 400_000);
    }

    private void run(long seed, int threads, int inserts) throws Exception {
        fixture.budget(2_000);
        ExecutorService executor = Executors.newFixedThreadPool(threads + 2);
        try {
            List<Future<Integer>> writers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                writers.add(executor.submit(writer(new Random(seed * 1_000 + t), inserts)));
            }
            List<Future<Integer>> cleaners = List.of(executor.submit(sweeper()), executor.submit(remover(seed)));
            int recorded = 0;
            for (Future<Integer> writer : writers) {
                recorded += writer.get(120, TimeUnit.SECONDS);
            }
            stop.set(true);
            for (Future<Integer> cleaner : cleaners) {
                assertThat(cleaner.get(20, TimeUnit.SECONDS))
                        .as("seed %d", seed)
                        .isPositive();
            }
            assertThat(recorded).as("seed %d", seed).isGreaterThan(threads * inserts / 2);
        } finally {
            stop.set(true);
            executor.shutdownNow();
        }
        fixture.audit();
        assertThat(fixture.trees.bytes()).isEqualTo(fixture.tree.bytes());
        fixture.evict(500);
        fixture.audit();
        fixture.fleet().workers().forEach(fixture.tree::remove);
        assertThat(fixture.audit()).as("seed %d", seed).isZero();
        assertThat(fixture.trees.bytes()).as("seed %d", seed).isZero();
    }

    private Callable<Integer> writer(Random random, int inserts) {
        return () -> {
            int recorded = 0;
            for (int i = 0; i < inserts; i++) {
                StringBuilder text = new StringBuilder(HEADS[random.nextInt(HEADS.length)]);
                for (int left = random.nextInt(10); left > 0; left--) {
                    text.append((char) ('a' + random.nextInt(3)));
                }
                Prompt prompt = Prompt.ofText(text.toString());
                Worker worker = fixture.fleet().worker(random.nextInt(WORKERS));
                PrefixMatch match = fixture.tree.match(prompt);
                assertThat(match.matchedCharacters()).isBetween(0, prompt.codePoints());
                recorded += fixture.tree.insert(match, prompt, worker) ? 1 : 0;
                assertThat(fixture.tree.characters(worker)).isNotNegative();
            }
            return recorded;
        };
    }

    private Callable<Integer> sweeper() {
        return () -> {
            int sweeps = 0;
            while (!stop.get()) {
                TreeSweep sweep = fixture.tree.sweep();
                while (sweep.step(7)) {
                    Thread.onSpinWait();
                }
                sweeps++;
            }
            return sweeps;
        };
    }

    private Callable<Integer> remover(long seed) {
        Random random = new Random(seed);
        return () -> {
            int removals = 0;
            while (!stop.get()) {
                fixture.tree.remove(fixture.fleet().worker(random.nextInt(WORKERS)));
                removals++;
                Thread.onSpinWait();
            }
            return removals;
        };
    }

    @Test
    void splits_beforeReadersEyes_neverShortenAMatchOnceQuiet() throws Exception {
        String text = "the quick brown fox jumps over the lazy dog".repeat(20);
        fixture.insert(text, 'A');
        ExecutorService executor = Executors.newFixedThreadPool(2);
        try {
            Future<Integer> reader = executor.submit(() -> {
                int tooLong = 0;
                while (!stop.get()) {
                    PrefixMatch match = fixture.match(text);
                    tooLong += match.matchedCharacters() > text.length() ? 1 : 0;
                }
                return tooLong;
            });
            Future<Integer> splitter = executor.submit(() -> {
                Random random = new Random(42);
                for (int i = 0; i < 5_000; i++) {
                    fixture.insert(text.substring(0, 1 + random.nextInt(text.length() - 1)) + "#" + i, 'B');
                }
                return 0;
            });
            assertThat(splitter.get(60, TimeUnit.SECONDS)).isZero();
            stop.set(true);
            assertThat(reader.get(20, TimeUnit.SECONDS)).isZero();
        } finally {
            stop.set(true);
            executor.shutdownNow();
        }
        assertThat(fixture.match(text).matchedCharacters()).isEqualTo(text.length());
        fixture.audit();
    }
}
