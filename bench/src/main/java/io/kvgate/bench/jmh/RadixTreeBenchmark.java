package io.kvgate.bench.jmh;

import io.kvgate.bench.workload.ChatText;
import io.kvgate.core.metrics.NoopMetricsRegistry;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.Prompt;
import io.kvgate.core.time.Ticker;
import io.kvgate.core.worker.Worker;
import io.kvgate.policies.radix.PrefixMatch;
import io.kvgate.policies.radix.PrefixTrees;
import io.kvgate.policies.radix.RadixTree;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Match and insert in a tree of 2,000 prompts, twenty of which share their first half each, held by eight workers. A prompt is either
 * one that the tree knows, or one whose last 256 characters nobody has sent before. As the latter makes the tree grow, iterations are
 * short and each begins with a new tree.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 10, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 15, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 2,
        jvmArgs = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class RadixTreeBenchmark {
    private static final int ENTRIES = 2_000;
    private static final int SHARING = 20;
    private static final int WORKERS = 8;
    private static final int NEW_CHARACTERS = 256;
    private static final int OWN_PROMPTS = 200;
    private static final long FIRST_OF_THREAD = 1_000_000_000_000L;
    private static final long SEED = 17;
    private static final long MAX_BYTES = 2L << 30;

    /** The prompts, and a tree that knows them. */
    @State(Scope.Benchmark)
    public static class Known {
        @Param({"1000", "16000", "64000"})
        int characters;

        @Param({"ENGLISH", "MIXED"})
        ChatText.Script script = ChatText.Script.ENGLISH;

        private final FleetState fleet = new FleetState(WORKERS, Ticker.system(), new NoopMetricsRegistry());
        private final List<Prompt> prompts = new ArrayList<>();
        private RadixTree tree = emptyTree();

        @Setup(Level.Trial)
        public void write() {
            ChatText text = new ChatText(new SplitMixRandom(SEED), script);
            String first = "";
            for (int i = 0; i < ENTRIES; i++) {
                if (i % SHARING == 0) {
                    first = i / SHARING + " " + text.characters(characters / 2);
                }
                String second = i + " " + text.characters(characters / 2);
                prompts.add(Prompt.ofText(cut(first + second)));
            }
            tree = newTree();
        }

        private String cut(String text) {
            int end = Character.isHighSurrogate(text.charAt(characters - 1)) ? characters + 1 : characters;
            return text.substring(0, end);
        }

        private RadixTree newTree() {
            RadixTree made = emptyTree();
            List<Worker> workers = fleet.pool().ready();
            for (int i = 0; i < ENTRIES; i++) {
                if (!made.insert(prompts.get(i), workers.get(i / SHARING % WORKERS))) {
                    throw new IllegalStateException("no room for the prompts");
                }
            }
            return made;
        }

        private static RadixTree emptyTree() {
            return new RadixTree(new PrefixTrees(MAX_BYTES), worker -> Long.MAX_VALUE / 4);
        }
    }

    /** A tree for one iteration. */
    @State(Scope.Benchmark)
    public static class Growing {
        private RadixTree tree = Known.emptyTree();

        @Setup(Level.Iteration)
        public void start(Known known) {
            tree = known.newTree();
        }
    }

    /** One thread's way through the prompts, and prompts of its own whose ends it writes anew. */
    @State(Scope.Thread)
    public static class Requests {
        private final List<Prompt> unseen = new ArrayList<>();
        private long sent;
        private int next;

        @Setup(Level.Trial)
        public void write(Known known, ThreadParams thread) {
            String end = "x".repeat(NEW_CHARACTERS);
            for (int i = 0; i < OWN_PROMPTS; i++) {
                String text = known.prompts.get(i * (ENTRIES / OWN_PROMPTS)).text();
                int kept = text.offsetByCodePoints(text.length(), -NEW_CHARACTERS);
                unseen.add(Prompt.ofText(text.substring(0, kept) + end));
            }
            sent = thread.getThreadIndex() * FIRST_OF_THREAD;
            next = thread.getThreadIndex() * ENTRIES / 2;
        }

        private Prompt known(Known known) {
            next = (next + 1) % ENTRIES;
            return known.prompts.get(next);
        }

        /** Writes a number into the prompt where its new end begins, so that no two ends agree. */
        private Prompt unseen() {
            next = (next + 1) % OWN_PROMPTS;
            Prompt prompt = unseen.get(next);
            int at = prompt.length() - NEW_CHARACTERS;
            for (long rest = ++sent; rest > 0; rest /= 10) {
                prompt.bytes()[at++] = (byte) ('0' + rest % 10);
            }
            return prompt;
        }
    }

    @Benchmark
    @Threads(1)
    public boolean knownPrompt(Known known, Requests requests, ThreadCost cost) {
        cost.called();
        return matchAndInsert(known.tree, requests.known(known));
    }

    @Benchmark
    @Threads(2)
    public boolean knownPromptTwoThreads(Known known, Requests requests, ThreadCost cost) {
        cost.called();
        return matchAndInsert(known.tree, requests.known(known));
    }

    @Benchmark
    @Threads(1)
    public boolean newTurn(Known known, Growing growing, Requests requests, ThreadCost cost) {
        cost.called();
        return matchAndInsert(growing.tree, requests.unseen());
    }

    @Benchmark
    @Threads(2)
    public boolean newTurnTwoThreads(Known known, Growing growing, Requests requests, ThreadCost cost) {
        cost.called();
        return matchAndInsert(growing.tree, requests.unseen());
    }

    private static boolean matchAndInsert(RadixTree tree, Prompt prompt) {
        PrefixMatch match = tree.match(prompt);
        Worker owner = match.owner();
        return owner != null && tree.insert(match, prompt, owner);
    }
}
