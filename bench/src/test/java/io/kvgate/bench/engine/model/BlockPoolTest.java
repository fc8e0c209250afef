package io.kvgate.bench.engine.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class BlockPoolTest {
    private static final int BLOCK = 4;

    private final RecordingListener events = new RecordingListener();

    @Test
    void usable_isAllButTheNullBlock() {
        BlockPool pool = new BlockPool(10, events);

        assertThat(pool.usableBlocks()).isEqualTo(9);
        assertThat(pool.freeIds()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
    }

    @Test
    void release_putsTheTailOfASequenceFirst() {
        BlockPool pool = new BlockPool(6, events);
        List<Block> owned = store(pool, sequence(1, 3));

        pool.release(owned);

        assertThat(pool.freeIds()).containsExactly(4, 5, 3, 2, 1);
    }

    @Test
    void eviction_takesTailBeforeHeadAndReportsEachBlock() {
        BlockPool pool = new BlockPool(4, events);
        TokenSequence old = sequence(1, 3);
        pool.release(store(pool, old));

        store(pool, sequence(2, 2));

        assertThat(events.removed).containsExactly(old.hash(2), old.hash(1));
        assertThat(pool.findPrefix(old, 3)).hasSize(1);
    }

    @Test
    void touch_takesAFreeBlockOutOfTheQueueAndKeepsIt() {
        BlockPool pool = new BlockPool(4, events);
        TokenSequence sequence = sequence(1, 2);
        pool.release(store(pool, sequence));

        List<Block> hits = pool.findPrefix(sequence, 2);
        assertThat(pool.canAllocate(1, hits)).isTrue();
        assertThat(pool.canAllocate(2, hits)).isFalse();
        pool.touch(hits);
        pool.touch(hits);

        assertThat(pool.freeIds()).containsExactly(3);
        assertThat(pool.references(hits.get(0).id)).isEqualTo(2);
        pool.release(new ArrayList<>(hits));
        assertThat(pool.freeBlocks()).isEqualTo(1);
        pool.release(new ArrayList<>(hits));
        assertThat(pool.freeIds()).containsExactly(3, 2, 1);
    }

    @Test
    void duplicates_areKeptAndRemovedOneByOne() {
        BlockPool pool = new BlockPool(4, events);
        TokenSequence sequence = sequence(1, 1);
        List<Block> one = store(pool, sequence);
        List<Block> two = store(pool, sequence);
        List<Block> three = store(pool, sequence);
        assertThat(pool.cachedHashes()).isEqualTo(1);
        pool.release(two);
        pool.release(one);

        store(pool, sequence(9, 1));
        assertThat(pool.findPrefix(sequence, 1)).hasSize(1);
        store(pool, sequence(8, 1));
        assertThat(pool.findPrefix(sequence, 1)).hasSize(1);
        pool.release(three);
        store(pool, sequence(7, 1));

        assertThat(pool.findPrefix(sequence, 1)).isEmpty();
        assertThat(events.removed).containsExactly(sequence.hash(0), sequence.hash(0), sequence.hash(0));
    }

    @Test
    void reset_emptiesTheCacheOnlyWhenNothingIsHeld() {
        BlockPool pool = new BlockPool(4, events);
        TokenSequence sequence = sequence(1, 2);
        List<Block> owned = store(pool, sequence);
        assertThat(pool.reset()).isFalse();
        assertThat(events.clears).isZero();
        pool.release(owned);

        assertThat(pool.reset()).isTrue();

        assertThat(events.clears).isEqualTo(1);
        assertThat(pool.findPrefix(sequence, 2)).isEmpty();
        store(pool, sequence(2, 3));
        assertThat(events.removed).isEmpty();
    }

    @Test
    void allocate_beyondTheFreeBlocksIsRefused() {
        BlockPool pool = new BlockPool(3, events);

        assertThatThrownBy(() -> pool.allocate(3, new ArrayList<>())).isInstanceOf(IllegalStateException.class);
        assertThat(pool.freeBlocks()).isEqualTo(2);
    }

    @Test
    void hash_coversTheWholePrefix() {
        TokenSequence same = new TokenSequence(new int[] {1, 2, 3, 4, 5, 6, 7, 8}, BLOCK, 0);
        TokenSequence equal = new TokenSequence(new int[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, BLOCK, 0);
        TokenSequence otherHead = new TokenSequence(new int[] {0, 2, 3, 4, 5, 6, 7, 8}, BLOCK, 0);

        assertThat(equal.fullBlocks()).isEqualTo(2);
        assertThat(equal.hash(1)).isEqualTo(same.hash(1));
        assertThat(otherHead.hash(1)).isNotEqualTo(same.hash(1));
    }

    @Test
    void randomUse_keepsTheInvariantsAndTheEventsTellTheCache() {
        for (long seed = 1; seed <= 20; seed++) {
            RecordingListener listener = new RecordingListener();
            BlockPool pool = new BlockPool(24, listener);
            SplittableRandom random = new SplittableRandom(seed);
            List<List<Block>> held = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                String at = "seed " + seed + " operation " + i;
                if (!held.isEmpty() && random.nextInt(2) == 0) {
                    pool.release(held.remove(random.nextInt(held.size())));
                } else if (random.nextInt(50) == 0) {
                    assertThat(pool.reset()).as(at).isEqualTo(held.isEmpty());
                } else {
                    admit(pool, sequence(random.nextInt(6), 1 + random.nextInt(8)), held);
                }
                assertConsistent(pool, at);
                assertThat(listener.copies.keySet()).as(at).hasSize(pool.cachedHashes());
            }
        }
    }

    private static void admit(BlockPool pool, TokenSequence sequence, List<List<Block>> held) {
        List<Block> hits = pool.findPrefix(sequence, sequence.fullBlocks());
        int missing = sequence.fullBlocks() - hits.size();
        if (pool.canAllocate(missing, hits)) {
            pool.touch(hits);
            List<Block> owned = new ArrayList<>(hits);
            pool.allocate(missing, owned);
            pool.register(sequence, owned, hits.size(), owned.size());
            held.add(owned);
        }
    }

    /** Free and used blocks make up the pool, and a block is in the free queue exactly when nobody uses it. */
    static void assertConsistent(BlockPool pool, String at) {
        assertThat(pool.freeBlocks() + pool.usedBlocks()).as(at).isEqualTo(pool.usableBlocks());
        int[] free = pool.freeIds();
        assertThat(free)
                .as(at)
                .hasSize(pool.freeBlocks())
                .doesNotHaveDuplicates()
                .doesNotContain(0);
        int withoutUser = 0;
        for (int id = 1; id <= pool.usableBlocks(); id++) {
            assertThat(pool.references(id)).as(at).isNotNegative();
            withoutUser += pool.references(id) == 0 ? 1 : 0;
        }
        assertThat(withoutUser).as(at).isEqualTo(free.length);
        for (int id : free) {
            assertThat(pool.references(id)).as(at).isZero();
        }
    }

    private static List<Block> store(BlockPool pool, TokenSequence sequence) {
        List<Block> owned = new ArrayList<>();
        pool.allocate(sequence.fullBlocks(), owned);
        pool.register(sequence, owned, 0, sequence.fullBlocks());
        return owned;
    }

    private static TokenSequence sequence(int tenant, int blocks) {
        int[] tokens = new int[blocks * BLOCK];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = tenant * 1_000 + i;
        }
        return new TokenSequence(tokens, BLOCK, 0);
    }

    private static final class RecordingListener implements BlockPoolListener {
        final List<Long> removed = new ArrayList<>();
        final Map<Long, Integer> copies = new HashMap<>();
        int clears;

        @Override
        public void stored(TokenSequence sequence, int firstBlock, int endBlock) {
            for (int i = firstBlock; i < endBlock; i++) {
                copies.merge(sequence.hash(i), 1, Integer::sum);
            }
        }

        @Override
        public void removed(long hash) {
            removed.add(hash);
            copies.computeIfPresent(hash, (key, count) -> count == 1 ? null : count - 1);
        }

        @Override
        public void cleared() {
            clears++;
            copies.clear();
        }
    }
}
