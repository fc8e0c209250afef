package io.kvgate.policies.radix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory stays within its bounds, and depth costs neither stack nor squares. */
final class RadixTreeBoundsTest {
    private static final long MAX_BYTES = 200_000;

    @Test
    void insert_oneCharacterNodes_neverExceedTheBytes() {
        TreeFixture fixture = new TreeFixture(MAX_BYTES);
        int refused = 0;
        for (int i = 0; i < 5_000; i++) {
            refused += fixture.tree.insert(Prompt.ofText("p" + Character.toString(0x4E00 + i)), fixture.worker('A'))
                    ? 0
                    : 1;
            assertThat(fixture.trees.bytes()).isLessThanOrEqualTo(MAX_BYTES);
        }
        assertThat(refused).isBetween(3_000, 4_900);
        assertThat(fixture.tree.sweepWanted()).isTrue();
        fixture.audit();
    }

    @Test
    void insert_manyThreads_neverExceedTheBytes() throws Exception {
        TreeFixture fixture = new TreeFixture(MAX_BYTES);
        AtomicInteger next = new AtomicInteger();
        Callable<Long> task = () -> {
            long most = 0;
            for (int i = 0; i < 5_000; i++) {
                Worker worker = fixture.worker((char) ('A' + i % 4));
                fixture.tree.insert(Prompt.ofText("common " + next.getAndIncrement() % 3_000), worker);
                most = Math.max(most, fixture.tree.bytes());
                if (fixture.tree.sweepWanted() && i % 50 == 0) {
                    fixture.tree.sweep().run();
                }
            }
            return most;
        };
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            List<Future<Long>> results = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                results.add(executor.submit(task));
            }
            for (Future<Long> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isBetween(1L, MAX_BYTES);
            }
        } finally {
            executor.shutdownNow();
        }
        fixture.audit();
        assertThat(fixture.trees.bytes()).as("reservations are settled").isEqualTo(fixture.tree.bytes());
    }

    @Test
    void sweep_crowdedTrees_makesRoomFromAllByAge() {
        TreeFixture fixture = new TreeFixture(MAX_BYTES);
        int text = 0;
        while (!fixture.trees.crowded()) {
            fixture.insert("prompt " + text++, (char) ('A' + text % 3));
        }
        String first = "prompt 0";
        String last = "prompt " + (text - 1);
        fixture.tree.sweep().run();
        assertThat(fixture.trees.bytes()).isBetween(MAX_BYTES / 2, MAX_BYTES - MAX_BYTES / 4);
        assertThat(fixture.match(first).matchedCharacters()).isLessThan(first.length());
        assertThat(fixture.match(last).matchedCharacters()).isEqualTo(last.length());
        assertThat(fixture.count('A')).isPositive();
        fixture.audit();
    }

    @Test
    void insert_farOverTheBudget_isRefusedUntilASweep() {
        TreeFixture fixture = new TreeFixture();
        fixture.budget(100_000);
        String text = "x".repeat(1_000);
        int recorded = 0;
        while (fixture.tree.insert(Prompt.ofText(recorded + text), fixture.worker('A'))) {
            recorded++;
        }
        assertThat(fixture.count('A')).isBetween(198_000L, 200_000L);
        assertThat(fixture.tree.insert(Prompt.ofText("other" + text), fixture.worker('B')))
                .as("another worker has room")
                .isTrue();
        assertThat(fixture.tree.sweepWanted()).isTrue();
        fixture.tree.sweep().run();
        assertThat(fixture.count('A')).isLessThanOrEqualTo(100_000);
        assertThat(fixture.tree.sweepWanted()).isFalse();
        assertThat(fixture.tree.insert(Prompt.ofText(recorded + text), fixture.worker('A')))
                .isTrue();
    }

    @Test
    void insert_knownPromptWhenFull_isStillTaken() {
        TreeFixture fixture = new TreeFixture();
        fixture.insert("a".repeat(80_000), 'A');
        fixture.budget(1);
        assertThat(fixture.tree.insert(Prompt.ofText("b".repeat(80_000)), fixture.worker('A')))
                .isFalse();
        assertThat(fixture.tree.insert(Prompt.ofText("a".repeat(80_000)), fixture.worker('A')))
                .isTrue();
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void deepTree_allThatWalks_doesItInALoop() {
        TreeFixture fixture = new TreeFixture();
        int depth = 50_000;
        // From long to short, so that each insert splits the first node only: building stays cheap.
        byte[] bytes = Prompt.ofText("z".repeat(depth)).bytes();
        for (int length = depth; length > 0; length--) {
            Prompt prompt = new Prompt(bytes, 0, length, length, new int[0], 0);
            assertThat(fixture.tree.insert(prompt, fixture.worker('A'))).isTrue();
        }
        Prompt whole = new Prompt(bytes, 0, depth, depth, new int[0], 0);
        assertThat(fixture.tree.insert(whole, fixture.worker('B'))).isTrue();
        assertThat(fixture.audit()).isEqualTo(depth);
        for (int i = 0; i < 100; i++) {
            assertThat(fixture.tree.match(whole).matchedCharacters()).isEqualTo(depth);
        }
        fixture.remove('B');
        assertThat(fixture.audit()).isEqualTo(depth);
        fixture.evict(10);
        assertThat(fixture.count('A')).isBetween(0L, 10L);
        fixture.audit();
    }

    @Test
    void manyChildren_oneNode_areAllFoundAndGoAgain() {
        TreeFixture fixture = new TreeFixture();
        int children = 20_000;
        for (int i = 0; i < children; i++) {
            fixture.insert("p" + Character.toString(0x4E00 + i), 'A');
        }
        assertThat(fixture.audit()).isEqualTo(children + 1L);
        assertThat(fixture.answer(fixture.match("p" + Character.toString(0x4E00 + children - 1))))
                .isEqualTo("A 2/2");
        fixture.evict(10);
        assertThat(fixture.audit()).isLessThanOrEqualTo(10);
    }

    @Test
    void retire_tree_givesItsMemoryBackAndRecordsNothing() {
        TreeFixture fixture = new TreeFixture();
        fixture.insert("hello", 'A');
        assertThat(fixture.trees.characters(fixture.worker('A'))).isEqualTo(5);
        fixture.tree.retire();
        assertThat(fixture.trees.bytes()).isZero();
        assertThat(fixture.tree.insert(Prompt.ofText("more"), fixture.worker('A')))
                .isFalse();
        assertThat(fixture.trees.bytes()).isZero();
        assertThat(fixture.trees.characters(fixture.worker('A'))).isZero();
    }

    @Test
    void maxBytes_notPositive_isRefused() {
        assertThatThrownBy(() -> new PrefixTrees(0)).hasMessage("maxBytes: 0 (expected: > 0)");
    }
}
