package io.kvgate.policies.radix;

/**
 * One owner's hold on one node.
 *
 * <p>Threading: {@link #epoch} any thread, the last writer wins; {@link #ownedChildren} under the monitor of the node it is in.
 */
final class Tenancy {
    static final int BYTES = 32;

    final Owner owner;

    /** When it was last used, in inserts of the tree; 0 for a node that was only passed through. */
    volatile long epoch;

    /** Children of the node that the owner owns too; it can be taken away while there are none. */
    int ownedChildren;

    Tenancy(Owner owner, long epoch, int ownedChildren) {
        this.owner = owner;
        this.epoch = epoch;
        this.ownedChildren = ownedChildren;
    }
}
