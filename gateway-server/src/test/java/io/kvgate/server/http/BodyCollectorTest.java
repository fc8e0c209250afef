package io.kvgate.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class BodyCollectorTest {
    private static final long SEED = 20_261_129L;

    private final BodyBudget budget = new BodyBudget(100);
    private final BodyCollector collector = new BodyCollector(60, budget);

    private static ByteBuf slice(int bytes) {
        return Unpooled.buffer().writeBytes("x".repeat(bytes).getBytes(US_ASCII));
    }

    private static void assertCode(@Nullable GatewayException refusal, ErrorCode code) {
        assertThat(Objects.requireNonNull(refusal).code()).isEqualTo(code);
    }

    @Test
    void take_severalSlices_givesThemInOrderWithoutACopy() {
        List<ByteBuf> slices = new ArrayList<>();
        for (String text : new String[] {"one ", "two ", "three"}) {
            ByteBuf slice = Unpooled.copiedBuffer(text, US_ASCII);
            slices.add(slice);
            assertThat(collector.add(slice)).isNull();
        }
        assertThat(collector.bytes()).isEqualTo(13);
        assertThat(budget.held()).isEqualTo(13);
        ByteBuf body = collector.take();
        assertThat(body.toString(US_ASCII)).isEqualTo("one two three");
        assertThat(body.nioBufferCount()).isEqualTo(3);
        collector.close();
        assertThat(body.toString(US_ASCII)).isEqualTo("one two three");
        body.release();
        assertThat(slices).allMatch(slice -> slice.refCnt() == 0);
        assertThat(budget.held()).isZero();
    }

    @Test
    void take_veryManySmallSlices_areGatheredInOrder() {
        int count = 200_000;
        BodyBudget large = new BodyBudget(10L * count);
        BodyCollector many = new BodyCollector(10L * count, large);
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < count; i++) {
            // A large one in between keeps its place.
            String text = i == 50_000 ? "L".repeat(5_000) : String.valueOf((char) ('a' + i % 26));
            expected.append(text);
            assertThat(many.add(Unpooled.copiedBuffer(text, US_ASCII))).isNull();
        }
        ByteBuf body = many.take();
        assertThat(body.toString(US_ASCII)).isEqualTo(expected.toString());
        assertThat(body.nioBufferCount()).isLessThan(30);
        assertThat(body.release()).isTrue();
        many.close();
        assertThat(large.held()).isZero();
    }

    @Test
    void take_oneSlice_isThatSlice() {
        ByteBuf slice = slice(5);
        collector.add(slice);
        assertThat(collector.take()).isSameAs(slice);
        slice.release();
        collector.close();
    }

    @Test
    void take_nothing_isEmpty() {
        assertThat(collector.add(slice(0))).isNull();
        assertThat(collector.take().isReadable()).isFalse();
        collector.close();
        assertThat(budget.held()).isZero();
    }

    @Test
    void close_notTaken_releasesEachSliceOnce() {
        ByteBuf first = slice(5);
        ByteBuf second = slice(6);
        collector.add(first);
        collector.add(second);
        collector.close();
        collector.close();
        assertThat(first.refCnt()).isZero();
        assertThat(second.refCnt()).isZero();
        assertThat(budget.held()).isZero();
    }

    @Test
    void add_afterClose_releasesAndHoldsNothing() {
        collector.close();
        ByteBuf late = slice(5);
        assertThat(collector.add(late)).isNull();
        assertThat(late.refCnt()).isZero();
        assertThat(budget.held()).isZero();
        assertThat(collector.bytes()).isZero();
    }

    @Test
    void add_overTheLimit_isRefusedAndReleased() {
        assertThat(collector.add(slice(60))).isNull();
        ByteBuf more = slice(1);
        assertCode(collector.add(more), ErrorCode.PAYLOAD_TOO_LARGE);
        assertThat(more.refCnt()).isZero();
        assertThat(budget.held()).isEqualTo(60);
        collector.close();
        assertThat(budget.held()).isZero();
    }

    @Test
    void add_budgetUsedUpByOthers_isRefusedWithAPause() {
        BodyCollector other = new BodyCollector(60, budget);
        other.add(slice(60));
        assertThat(collector.add(slice(40))).isNull();
        ByteBuf more = slice(1);
        GatewayException refusal = Objects.requireNonNull(collector.add(more));
        assertCode(refusal, ErrorCode.OVERLOADED);
        assertThat(refusal.retryAfter()).isNotNull();
        assertThat(more.refCnt()).isZero();
        other.close();
        assertThat(collector.add(slice(1))).isNull();
        collector.close();
        assertThat(budget.held()).isZero();
    }

    @Test
    void tryTake_firstBytesOfAll_alwaysFindRoom() {
        BodyBudget small = new BodyBudget(10);
        assertThat(small.tryTake(50)).isTrue();
        assertThat(small.tryTake(1)).isFalse();
        small.giveBack(50);
        assertThat(small.held()).isZero();
    }

    @Test
    void budget_ofNothing_isRefused() {
        assertThatThrownBy(() -> new BodyBudget(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void budget_manyThreads_endsAtZeroAndIsNeverExceeded() throws Exception {
        BodyBudget shared = new BodyBudget(1_000);
        int threads = 4;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        CountDownLatch together = new CountDownLatch(threads);
        try {
            List<Future<Long>> runs = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                long seed = SEED + i;
                runs.add(pool.submit(() -> hammer(shared, new SplittableRandom(seed), together)));
            }
            long accepted = 0;
            for (Future<Long> run : runs) {
                accepted += run.get(30, TimeUnit.SECONDS);
            }
            assertThat(accepted).as("seed %s", SEED).isPositive();
            assertThat(shared.held()).as("seed %s", SEED).isZero();
        } finally {
            pool.shutdownNow();
        }
    }

    private static long hammer(BodyBudget budget, SplittableRandom random, CountDownLatch together) throws Exception {
        together.countDown();
        together.await();
        long accepted = 0;
        for (int round = 0; round < 5_000; round++) {
            BodyCollector own = new BodyCollector(600, budget);
            List<ByteBuf> slices = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                ByteBuf slice = slice(1 + random.nextInt(200));
                slices.add(slice);
                accepted += own.add(slice) == null ? 1 : 0;
            }
            if (random.nextBoolean()) {
                own.take().release();
            }
            own.close();
            if (slices.stream().anyMatch(slice -> slice.refCnt() != 0)) {
                throw new AssertionError("a slice was not released");
            }
        }
        return accepted;
    }
}
