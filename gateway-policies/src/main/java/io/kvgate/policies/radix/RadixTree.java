package io.kvgate.policies.radix;

import static java.util.Objects.requireNonNull;

import io.kvgate.core.request.Prompt;
import io.kvgate.core.worker.Worker;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/**
 * The prompts of one pool as a radix tree, with the workers each stretch was sent to. It answers how far a new prompt agrees with old
 * ones and who was sent that much, and it never takes more memory than its bounds allow.
 *
 * <p>Threading: any thread. Readers take no lock. Writers lock single nodes, a parent before its child, never more than two. Sweeps and
 * removals exclude each other by {@link #sweepLock}, taken before any node; requests never wait for it.
 */
public final class RadixTree {
    /*
     * Shape. Keys are the bytes of a prompt, scope first. A node's label is compared as a whole by Arrays.mismatch, which the
     * JIT turns into vector instructions; children are found by their first code point, and labels are split between code points
     * only. Everything walks in loops: the depth of the tree costs no stack.
     *
     * Lengths are code points of the text. They are counted only where a prompt leaves the tree inside a label that is not all
     * ASCII: a new leaf's length is the prompt's own minus what agreed.
     *
     * Owners. Who holds a node holds all nodes above it, up to the root, which every worker of the tree holds. An insert therefore
     * climbs from the deepest node only as far as the worker holds nothing. Each tenancy counts the children its owner holds too, so a
     * sweep knows without a look at them whether a hold may go. A node goes with its last owner.
     *
     * Splitting. The lower part keeps the node's identity, so that parents of its children stay right and a split costs two copies
     * of parts of a label, however many children there are. The order of writes is: the new upper node is made ready with the lower
     * one as its child; the lower one's parent is set to it; then the lower one's label; then the grandparent's table. A
     * reader takes the child from the parent's table, its label and length, and then asks whether the child's parent still is the
     * node it came from. If so, the label was that of before. If not, it looks again, a few times; a reader that has no luck reports a
     * shorter match, which is never wrong, only less.
     *
     * Inserts go on from where the match ended, without comparing again: what was read is checked under the locks, and if it is no
     * longer so the prompt is matched anew.
     *
     * Memory. An insert reserves from PrefixTrees what it may need at most, before it takes any, and settles afterwards. A worker
     * that holds more than its budget and a half again asks for a sweep; at twice the budget, or at the bound of all trees,
     * inserts are refused. Refusing costs a hit later, nothing else.
     *
     * Cost: match O(bytes + depth), insert O(new bytes + new depth + owners of nodes newly held), sweep O(n log n) beside requests.
     */

    /** How often an insert tries against others that change the same nodes, before it leaves the prompt unrecorded. */
    private static final int MAX_ATTEMPTS = 64;

    /** A worker may exceed its budget by this many characters at least before inserts are refused. */
    private static final long SLACK_CHARACTERS = 65_536;

    final TreeShape shape;

    /** Excludes sweeps and removals from each other. */
    final Object sweepLock = new Object();

    private final PrefixTrees trees;
    private final ToLongFunction<Worker> budget;
    private final Map<Worker, Owner> owners = new ConcurrentHashMap<>();
    private final AtomicInteger serials = new AtomicInteger();
    private final AtomicLong epochs = new AtomicLong();
    private volatile boolean sweepWanted;

    /** @param budget characters a worker should hold at most, asked whenever it matters; must not block */
    public RadixTree(PrefixTrees trees, ToLongFunction<Worker> budget) {
        this.trees = requireNonNull(trees, "trees");
        this.budget = requireNonNull(budget, "budget");
        shape = new TreeShape(trees);
    }

    /** Characters that a worker holds; 0 if it holds nothing. */
    public long characters(Worker worker) {
        Owner owner = owners.get(worker);
        return owner == null ? 0 : owner.characters.get();
    }

    /** Estimated heap of the tree. */
    public long bytes() {
        return shape.bytes();
    }

    /** Whether room has run short since the last sweep began. */
    public boolean sweepWanted() {
        return sweepWanted || trees.crowded();
    }

    /** How far a prompt agrees with what was inserted, whoever was sent it. */
    public PrefixMatch match(Prompt prompt) {
        return TreeWalk.match(shape.root, prompt, null);
    }

    /** Characters of the longest prefix that this worker was sent. */
    public int matchOf(Prompt prompt, Worker worker) {
        Owner owner = owners.get(worker);
        return owner == null ? 0 : TreeWalk.match(shape.root, prompt, owner).matchedCharacters();
    }

    /** {@link #insert(PrefixMatch, Prompt, Worker)} of a prompt that was not matched before. */
    public boolean insert(Prompt prompt, Worker worker) {
        return insert(match(prompt), prompt, worker);
    }

    /**
     * Notes that a prompt is sent to a worker.
     *
     * @param match what {@link #match} said of the same prompt
     * @return false: it was left unrecorded, because room has run out or the tree was retired
     */
    public boolean insert(PrefixMatch match, Prompt prompt, Worker worker) {
        Owner owner = ownerOf(worker);
        PrefixMatch at = match;
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            if (owner.removed || shape.retired()) {
                return false;
            }
            if (at.agreed == prompt.length() && !at.partial() && touch(at.node, owner)) {
                return true;
            }
            long needed = reserve(at, prompt, owner);
            if (needed < 0) {
                return false;
            }
            try {
                if (grow(at, prompt, owner)) {
                    return true;
                }
            } finally {
                trees.charge(-needed);
            }
            at = match(prompt);
        }
        return false;
    }

    /** Bytes that were reserved for the insert; −1 if there is no room. */
    private long reserve(PrefixMatch at, Prompt prompt, Owner owner) {
        int rest = prompt.length() - at.agreed;
        long characters = owner.characters.get() + prompt.codePoints() - at.agreedCharacters;
        long needed = 0;
        int inNode = at.charactersInLabel;
        Node node = at.node;
        while (node != null && node.tenancyOf(owner) == null) {
            characters += inNode;
            needed += Tenancy.BYTES + 8;
            node = node.parent;
            inNode = node == null ? 0 : node.characters;
        }
        if (at.partial()) {
            int heldBy = at.node.tenancies.length + 1;
            needed += Node.footprint(at.agreedInLabel, heldBy) + Children.growth(null) + 16;
        }
        if (rest > 0) {
            needed += Node.footprint(rest, 1) + Children.growth(at.partial() ? null : at.node.children);
        }
        long budgeted = budget.applyAsLong(owner.worker);
        if (characters - budgeted > budgeted / 2) {
            sweepWanted = true;
        }
        if (characters - budgeted > Math.max(budgeted, SLACK_CHARACTERS) || !trees.reserve(needed)) {
            sweepWanted = true;
            return -1;
        }
        return needed;
    }

    /** @return false: others were faster, match again */
    private boolean grow(PrefixMatch at, Prompt prompt, Owner owner) {
        Node node = at.partial() ? shape.split(at) : at.node;
        if (node == null || !shape.own(node, owner)) {
            return false;
        }
        return at.agreed == prompt.length()
                ? touch(node, owner)
                : shape.addLeaf(node, at, prompt, owner, epochs.incrementAndGet());
    }

    private boolean touch(Node node, Owner owner) {
        Tenancy tenancy = node.tenancyOf(owner);
        if (tenancy == null) {
            return false;
        }
        tenancy.epoch = epochs.incrementAndGet();
        return true;
    }

    private Owner ownerOf(Worker worker) {
        Owner owner = owners.get(worker);
        return owner != null ? owner : owners.computeIfAbsent(worker, this::register);
    }

    private Owner register(Worker worker) {
        Owner owner = new Owner(worker, serials.incrementAndGet());
        shape.enter(owner);
        trees.enlist(this);
        if (shape.retired()) {
            trees.strike(this);
        }
        return owner;
    }

    /** Begins a sweep: workers over their budgets lose what they used longest ago; all do, if the trees together are crowded. */
    public TreeSweep sweep() {
        sweepWanted = false;
        return new TreeSweep(this, trees.crowded() ? trees.target(bytes()) : Long.MAX_VALUE);
    }

    boolean overBudget(Owner owner) {
        return owner.characters.get() > budget.applyAsLong(owner.worker);
    }

    /** Forgets a worker. What is inserted for it from now on begins a new history. */
    public void remove(Worker worker) {
        Owner owner = owners.remove(worker);
        if (owner == null) {
            return;
        }
        owner.removed = true;
        synchronized (sweepLock) {
            shape.releaseAll(owner);
        }
        shape.leave(owner);
    }

    /** Ends the tree: its memory is no longer counted, and nothing is recorded any more. */
    public void retire() {
        trees.strike(this);
        shape.retire();
    }
}
