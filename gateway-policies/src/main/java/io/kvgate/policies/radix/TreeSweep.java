package io.kvgate.policies.radix;

import java.util.ArrayDeque;
import java.util.PriorityQueue;

/**
 * One pass over a tree that takes away what was used longest ago: from workers over their budgets, and from all while the tree takes more
 * than its target. It goes in steps, so that whoever runs it can do other things in between; requests go on beside it.
 *
 * <p>Threading: one thread at a time; each step holds the tree's sweep lock and single nodes.
 */
public final class TreeSweep {
    /*
     * First all holds are gathered that could go at once: those of owners that hold none of the node's children. Then they go by age.
     * A hold that was used meanwhile is put back with its new age; a parent's hold that is laid bare joins in. It was
     * only passed through, mostly, so its age is 0 and it goes next.
     *
     * O(n log n) in time, O(holds gathered) in memory.
     */

    private static final class Lapse implements Comparable<Lapse> {
        private final Node node;
        private final Tenancy tenancy;
        private final long epoch;

        Lapse(Node node, Tenancy tenancy) {
            this.node = node;
            this.tenancy = tenancy;
            epoch = tenancy.epoch;
        }

        @Override
        public int compareTo(Lapse other) {
            return Long.compare(epoch, other.epoch);
        }
    }

    private final RadixTree tree;
    private final long targetBytes;
    private final ArrayDeque<Node> unseen = new ArrayDeque<>();
    private final PriorityQueue<Lapse> lapses = new PriorityQueue<>();

    /** @param targetBytes what the tree may take; {@link Long#MAX_VALUE}: whatever the budgets allow */
    TreeSweep(RadixTree tree, long targetBytes) {
        this.tree = tree;
        this.targetBytes = targetBytes;
        unseen.push(tree.shape.root);
    }

    /** Does a part of the work, about {@code nodes} steps long. @return whether there is more to do */
    public boolean step(int nodes) {
        synchronized (tree.sweepLock) {
            for (int i = 0; i < nodes; i++) {
                if (!unseen.isEmpty()) {
                    see(unseen.pop());
                } else if (!lapses.isEmpty()) {
                    end(lapses.poll());
                } else {
                    return false;
                }
            }
        }
        return true;
    }

    /** Does all of it. */
    public void run() {
        boolean more = true;
        while (more) {
            more = step(1_000);
        }
    }

    private void see(Node node) {
        if (node != tree.shape.root) {
            synchronized (node) {
                for (Tenancy tenancy : node.tenancies) {
                    if (tenancy.ownedChildren == 0 && due(tenancy.owner)) {
                        lapses.add(new Lapse(node, tenancy));
                    }
                }
            }
        }
        Children table = node.children;
        for (int place = 0; table != null && place < table.capacity(); place++) {
            Node child = table.at(place);
            if (child != null) {
                unseen.push(child);
            }
        }
    }

    private void end(Lapse lapse) {
        Owner owner = lapse.tenancy.owner;
        if (!due(owner)) {
            return;
        }
        if (lapse.tenancy.epoch != lapse.epoch) {
            lapses.add(new Lapse(lapse.node, lapse.tenancy));
            return;
        }
        Node bare = tree.shape.release(lapse.node, owner);
        if (bare != null) {
            Tenancy above = bare.tenancyOf(owner);
            if (above != null) {
                lapses.add(new Lapse(bare, above));
            }
        }
    }

    private boolean due(Owner owner) {
        return tree.overBudget(owner) || tree.bytes() > targetBytes;
    }
}
