package io.kvgate.policies.radix;

import static java.util.Objects.requireNonNull;

import io.kvgate.core.request.Prompt;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one tree and all changes to them. Each change keeps the counts of characters and bytes and the rule that who holds a node
 * holds its parent; one that finds things otherwise than it was told changes nothing and says so.
 *
 * <p>Threading: any thread; each change locks a parent and then its child. {@link #release} and {@link #releaseAll}: one thread at a
 * time, under the sweep lock of the tree.
 */
final class TreeShape {
    private static final long RETIRED = Long.MIN_VALUE;

    final Node root = new Node(null, new byte[0], 0);

    private final PrefixTrees trees;
    private final AtomicLong bytes = new AtomicLong();

    TreeShape(PrefixTrees trees) {
        this.trees = trees;
    }

    /** Estimated heap of all nodes; what the root takes without owners and children isn't counted. */
    long bytes() {
        return Math.max(0, bytes.get());
    }

    boolean retired() {
        return bytes.get() == RETIRED;
    }

    /** Gives back what the trees together were charged for this one; changes from now on cost nothing. */
    void retire() {
        long counted = bytes.getAndSet(RETIRED);
        if (counted != RETIRED) {
            trees.charge(-counted);
        }
    }

    /** The tree's own count first: if it is retired between the two, the retirement has taken the change back already. */
    private void charge(long delta) {
        for (long before = bytes.get(); before != RETIRED; before = bytes.get()) {
            if (bytes.compareAndSet(before, before + delta)) {
                trees.charge(delta);
                return;
            }
        }
    }

    /** Lets an owner hold the root, and with it everything it will be given. */
    void enter(Owner owner) {
        synchronized (root) {
            long before = root.footprint();
            root.admit(new Tenancy(owner, 0, 0));
            charge(root.footprint() - before);
        }
    }

    /** Takes the root from an owner that holds nothing else any more. */
    void leave(Owner owner) {
        synchronized (root) {
            Tenancy tenancy = root.tenancyOf(owner);
            if (tenancy != null) {
                long before = root.footprint();
                root.dismiss(tenancy);
                charge(root.footprint() - before);
            }
        }
    }

    /** Divides a node. @return the new node above the one that was matched in part; null if that is no longer as it was */
    @SuppressWarnings("ReferenceEquality") // a label that was replaced is another array, whatever it says
    @Nullable
    Node split(PrefixMatch at) {
        Node lower = at.node;
        Node parent = lower.parent;
        if (parent == null) {
            return null;
        }
        byte[] head = Node.head(at.label, at.agreedInLabel);
        byte[] tail = Node.tail(at.label, at.agreedInLabel);
        Node upper = new Node(parent, head, at.charactersInLabel);
        synchronized (parent) {
            synchronized (lower) {
                if (lower.parent != parent || lower.label != at.label) {
                    return null;
                }
                long before = lower.footprint();
                int tailCharacters = lower.characters - at.charactersInLabel;
                upper.admitOwnersOf(lower);
                upper.children = Children.of(CodePoints.key(tail, 0, tail.length), lower);
                lower.parent = upper;
                lower.label = tail;
                lower.characters = tailCharacters;
                requireNonNull(parent.children).put(upper.key(), upper);
                charge(upper.footprint() + lower.footprint() - before);
            }
        }
        return upper;
    }

    /** Makes the owner hold the node and all above it. @return false: the node is no longer in its place */
    boolean own(Node node, Owner owner) {
        if (node.tenancyOf(owner) != null) {
            return true;
        }
        ArrayDeque<Node> lacking = new ArrayDeque<>();
        Node held = node;
        while (held != null && held.tenancyOf(owner) == null) {
            lacking.push(held);
            held = held.parent;
        }
        for (Node child : lacking) {
            if (held == null || !own(held, child, owner)) {
                return false;
            }
            held = child;
        }
        return true;
    }

    private boolean own(Node parent, Node child, Owner owner) {
        synchronized (parent) {
            synchronized (child) {
                Tenancy above = parent.tenancyOf(owner);
                if (child.parent != parent || above == null || owner.removed) {
                    return false;
                }
                if (child.tenancyOf(owner) != null) {
                    return true;
                }
                long before = child.footprint();
                child.admit(new Tenancy(owner, 0, 0));
                above.ownedChildren++;
                owner.characters.addAndGet(child.characters);
                charge(child.footprint() - before);
                return true;
            }
        }
    }

    boolean addLeaf(Node parent, PrefixMatch at, Prompt prompt, Owner owner, long epoch) {
        byte[] rest = Arrays.copyOfRange(prompt.bytes(), at.agreed, prompt.length());
        Node leaf = new Node(parent, rest, prompt.codePoints() - at.agreedCharacters);
        int key = leaf.key();
        synchronized (parent) {
            Tenancy above = parent.tenancyOf(owner);
            boolean unlinked = parent != root && parent.parent == null;
            if (unlinked || above == null || owner.removed || parent.child(key) != null) {
                return false;
            }
            synchronized (leaf) {
                leaf.admit(new Tenancy(owner, epoch, 0));
            }
            long before = parent.footprint();
            Children table = parent.children;
            parent.children = table == null ? Children.of(key, leaf) : table.put(key, leaf);
            above.ownedChildren++;
            owner.characters.addAndGet(leaf.characters);
            charge(leaf.footprint() + parent.footprint() - before);
        }
        return true;
    }

    /** Takes everything but the root from an owner that is given nothing any more. */
    void releaseAll(Owner owner) {
        ArrayDeque<Node> pending = new ArrayDeque<>();
        pending.push(root);
        while (!pending.isEmpty()) {
            Node node = pending.pop();
            if (holdsChildren(node, owner)) {
                pushHeld(node.children, owner, pending);
            } else {
                releaseUpwards(node, owner);
            }
        }
    }

    private static boolean holdsChildren(Node node, Owner owner) {
        synchronized (node) {
            Tenancy tenancy = node.tenancyOf(owner);
            return tenancy != null && tenancy.ownedChildren > 0;
        }
    }

    private static void pushHeld(@Nullable Children table, Owner owner, ArrayDeque<Node> pending) {
        for (int place = 0; table != null && place < table.capacity(); place++) {
            Node child = table.at(place);
            if (child != null && child.tenancyOf(owner) != null) {
                pending.push(child);
            }
        }
    }

    private void releaseUpwards(Node from, Owner owner) {
        Node node = from;
        while (node != null) {
            node = release(node, owner);
        }
    }

    /**
     * Takes away an owner's hold on a node, if it holds none of the children, and unlinks the node if that was the last hold.
     *
     * @return the parent, if the owner's hold on it could go next; the root's never can
     */
    @Nullable
    Node release(Node node, Owner owner) {
        for (Node parent = node.parent; parent != null; parent = node.parent) {
            synchronized (parent) {
                synchronized (node) {
                    if (node.parent == parent) {
                        return release(parent, node, owner);
                    }
                }
            }
        }
        return null;
    }

    private @Nullable Node release(Node parent, Node node, Owner owner) {
        Tenancy tenancy = node.tenancyOf(owner);
        if (tenancy == null || tenancy.ownedChildren > 0) {
            return null;
        }
        long before = node.footprint() + parent.footprint();
        node.dismiss(tenancy);
        owner.characters.addAndGet(-node.characters);
        Tenancy above = requireNonNull(parent.tenancyOf(owner), "a hold without a hold above it");
        above.ownedChildren--;
        if (node.tenancies.length > 0) {
            charge(node.footprint() + parent.footprint() - before);
        } else {
            int key = node.key();
            node.parent = null;
            parent.children = requireNonNull(parent.children).remove(key);
            charge(parent.footprint() - before);
        }
        return above.ownedChildren == 0 && parent != root ? parent : null;
    }
}
