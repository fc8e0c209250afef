package io.kvgate.kvevents.index;

import io.kvgate.core.cache.CacheTrust;
import io.kvgate.core.cache.OverlapScores;
import io.kvgate.core.cache.PrefixQuery;
import io.kvgate.core.cache.TokenChain;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import io.kvgate.kvevents.SourceId;
import io.kvgate.kvevents.event.CacheTier;
import io.kvgate.kvevents.event.KvEvent;
import io.kvgate.kvevents.event.KvEventBatch;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs short texts of events against an index of blocks of four tokens: {@code St(10,11|nil|AB)} stores two blocks at a sequence's start,
 * {@code Rm(11)} removes one copy, {@code Clr} clears, {@code m(ABC)} is the number of blocks matched. A letter stands for a block's four
 * tokens. Options stand behind a colon: {@code St:lora=x:cpu(…)}. An {@code @1} speaks of the second worker.
 */
final class IndexScenario {
    static final int BLOCK = 4;

    private static final Pattern WORD =
            Pattern.compile("(St|Rm|Clr|Tick)((?::[a-z_]+(?:=[\\w]+)?)*)(@\\d)?(?:\\(([^)]*)\\))?");
    private static final Pattern QUESTION = Pattern.compile("m((?::[a-z]+=\\w+)*)(@\\d)?\\(([A-Z]*)\\)=(\\d+)");

    private final WorkerFleet fleet = WorkerFleet.ready(2);
    private final KvBlockIndex index =
            new KvBlockIndex(new TokenChain(42), BLOCK, new OrphanLimits(1_000, Duration.ofSeconds(60)));
    private long nowNanos;

    IndexScenario() {
        for (Worker worker : fleet.workers()) {
            index.add(source(worker));
            index.trust(source(worker), CacheTrust.EXACT);
        }
    }

    KvBlockIndex index() {
        return index;
    }

    ReplicaCache cache() {
        return java.util.Objects.requireNonNull(index.cache(source(fleet.worker(0))));
    }

    static SourceId source(Worker worker) {
        return new SourceId(worker.id(), 0);
    }

    /** Applies the events of a text, each word in a batch of its own. */
    IndexScenario run(String text) {
        Matcher words = WORD.matcher(text);
        while (words.find()) {
            Worker worker = worker(words.group(3));
            String options = words.group(2);
            String arguments = words.group(4) == null ? "" : words.group(4);
            if (words.group(1).equals("Tick")) {
                nowNanos += Duration.ofSeconds(Long.parseLong(arguments)).toNanos();
            } else {
                apply(worker, event(words.group(1), options, arguments));
            }
        }
        return this;
    }

    void apply(Worker worker, KvEvent event) {
        index.apply(source(worker), new KvEventBatch(0, List.of(event), 0, 0, 0, 0), nowNanos);
    }

    void applyToFirst(KvEvent event) {
        apply(fleet.worker(0), event);
    }

    int tokensOfFirst(PrefixQuery query) {
        OverlapScores scores = new OverlapScores();
        index.match(query, new Worker[] {fleet.worker(0)}, 1, scores);
        return scores.tokens(0);
    }

    private Worker worker(@Nullable String at) {
        return fleet.worker(at == null ? 0 : at.charAt(1) - '0');
    }

    private static KvEvent event(String word, String options, String arguments) {
        CacheTier tier = options.contains(":cpu") ? CacheTier.HOST : CacheTier.DEVICE;
        tier = options.contains(":none") ? CacheTier.NONE : tier;
        int group = options.contains(":group=") ? Integer.parseInt(value(options, "group")) : KvEvent.NO_GROUP;
        if (word.equals("Clr")) {
            return new KvEvent.AllBlocksCleared();
        }
        if (word.equals("Rm")) {
            return new KvEvent.BlockRemoved(hashes(arguments), tier, group);
        }
        String[] parts = arguments.split("\\|", -1);
        boolean root = parts[1].equals("nil");
        String size = value(options, "size");
        return new KvEvent.BlockStored(
                hashes(parts[0]),
                root ? 0 : Long.parseLong(parts[1]),
                !root,
                tokens(parts[2]),
                size == null ? BLOCK : Integer.parseInt(size),
                value(options, "lora"),
                value(options, "salt"),
                null,
                tier,
                group,
                value(options, "kind"));
    }

    private static @Nullable String value(String options, String name) {
        Matcher matcher = Pattern.compile(":" + name + "=(\\w+)").matcher(options);
        return matcher.find() ? matcher.group(1) : null;
    }

    private static long[] hashes(String list) {
        return list.isEmpty()
                ? new long[0]
                : java.util.Arrays.stream(list.split(",", -1))
                        .mapToLong(Long::parseLong)
                        .toArray();
    }

    /** Four tokens a letter; digits are tokens of their own. */
    static int[] tokens(String letters) {
        int[] tokens = new int
                [letters.chars().map(c -> Character.isDigit(c) ? 1 : BLOCK).sum()];
        int at = 0;
        for (int position = 0; position < letters.length(); position++) {
            char letter = letters.charAt(position);
            if (Character.isDigit(letter)) {
                tokens[at++] = letter;
                continue;
            }
            for (int i = 0; i < BLOCK; i++) {
                tokens[at++] = letter * 100 + i;
            }
        }
        return tokens;
    }

    /** The questions of a text that are answered otherwise than it says; empty if none. */
    String wrong(String questions) {
        StringBuilder wrong = new StringBuilder();
        Matcher asked = QUESTION.matcher(questions);
        boolean any = false;
        while (asked.find()) {
            any = true;
            int matched = matched(
                    worker(asked.group(2)),
                    value(asked.group(1), "lora"),
                    value(asked.group(1), "salt"),
                    asked.group(3));
            if (matched != Integer.parseInt(asked.group(4))) {
                wrong.append(asked.group()).append(" but was ").append(matched).append("; ");
            }
        }
        return any ? wrong.toString() : "no question in: " + questions;
    }

    /** Blocks matched; one more token is asked for, so that the last block counts. */
    int matched(Worker worker, @Nullable String lora, @Nullable String salt, String letters) {
        int[] tokens = tokens(letters + "0");
        OverlapScores scores = new OverlapScores();
        index.match(new PrefixQuery(lora, salt, tokens, tokens.length), new Worker[] {worker}, 1, scores);
        return scores.tokens(0) / BLOCK;
    }
}
