package io.kvgate.policies.radix;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerFleet;
import java.util.Set;
import java.util.TreeSet;

/** A tree with workers that go by letters and one budget for all. For one thread, but for the tree itself. */
final class TreeFixture {
    static final long PLENTY = 1L << 30;

    private final WorkerFleet fleet = WorkerFleet.ready(26);
    private volatile long budget = PLENTY;

    final PrefixTrees trees;
    final RadixTree tree;

    TreeFixture() {
        this(PLENTY);
    }

    TreeFixture(long maxBytes) {
        trees = new PrefixTrees(maxBytes);
        tree = new RadixTree(trees, worker -> budget);
    }

    Worker worker(char letter) {
        return fleet.worker(letter - 'A');
    }

    WorkerFleet fleet() {
        return fleet;
    }

    void budget(long characters) {
        budget = characters;
    }

    void insert(String text, char letter) {
        assertThat(tree.insert(Prompt.ofText(text), worker(letter))).isTrue();
    }

    PrefixMatch match(String text) {
        return tree.match(Prompt.ofText(text));
    }

    long count(char letter) {
        return tree.characters(worker(letter));
    }

    void remove(char letter) {
        tree.remove(worker(letter));
    }

    void evict(long characters) {
        budget = characters;
        tree.sweep().run();
    }

    /** Letters of those that hold the match, in order. */
    String holders(PrefixMatch match) {
        Set<Character> letters = new TreeSet<>();
        for (int i = 0; i < match.ownerCount(); i++) {
            letters.add((char) ('A' + fleet.workers().indexOf(match.owner(i))));
        }
        StringBuilder text = new StringBuilder();
        letters.forEach(text::append);
        return text.toString();
    }

    /** The letter of the one that answers, and how much of how much agrees: {@code A 10/16}. */
    String answer(PrefixMatch match) {
        Worker owner = match.owner();
        String letter = owner == null
                ? "empty"
                : String.valueOf((char) ('A' + fleet.workers().indexOf(owner)));
        return letter + " " + match.matchedCharacters() + "/" + match.totalCharacters();
    }

    /** @return nodes, without the root */
    long audit() {
        return TreeAudit.check(tree, fleet.workers());
    }
}
