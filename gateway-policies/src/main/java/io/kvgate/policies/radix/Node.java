package io.kvgate.policies.radix;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of text that all prompts below it share, and who was sent it.
 *
 * <p>Threading: fields are read by any thread without a lock. They are written under the node's monitor; what concerns the place of the
 * node in the tree ({@link #parent}, {@link #label}, being unlinked) under the parent's monitor and its own, taken in that order. {@link
 * RadixTree} explains how a reader notices that a node was split under its eyes.
 */
final class Node {
    private static final int OBJECT_BYTES = 40;
    private static final Tenancy[] NOBODY = {};

    /** Null: the root, or a node that was unlinked. */
    volatile @Nullable Node parent;

    /** Whole code points; never changed in place, never a part of a larger array, so that a node holds no memory but its own. */
    volatile byte[] label;

    /** Code points of the label that are text, not scope. */
    volatile int characters;

    /** By serial of the owner; replaced, never changed in place. */
    volatile Tenancy[] tenancies = NOBODY;

    /** Who answers for the node: its creator while it holds it, then the one that used it last. Null: nobody holds it. */
    volatile @Nullable Tenancy speaker;

    volatile @Nullable Children children;

    Node(@Nullable Node parent, byte[] label, int characters) {
        this.parent = parent;
        this.label = label;
        this.characters = characters;
    }

    int key() {
        byte[] bytes = label;
        return CodePoints.key(bytes, 0, bytes.length);
    }

    @Nullable
    Node child(int key) {
        Children table = children;
        return table == null ? null : table.get(key);
    }

    @Nullable
    Tenancy tenancyOf(Owner owner) {
        Tenancy[] held = tenancies;
        int place = place(held, owner);
        return place < 0 ? null : held[place];
    }

    /** Gives the node one more tenancy; the first one speaks for it. */
    void admit(Tenancy tenancy) {
        assert Thread.holdsLock(this);
        Tenancy[] held = tenancies;
        int place = -place(held, tenancy.owner) - 1;
        Tenancy[] next = new Tenancy[held.length + 1];
        System.arraycopy(held, 0, next, 0, place);
        next[place] = tenancy;
        System.arraycopy(held, place, next, place + 1, held.length - place);
        tenancies = next;
        if (speaker == null) {
            speaker = tenancy;
        }
    }

    /** Takes a tenancy away; if it spoke for the node, the one that was used last does from now on. */
    void dismiss(Tenancy tenancy) {
        assert Thread.holdsLock(this);
        Tenancy[] held = tenancies;
        int place = place(held, tenancy.owner);
        Tenancy[] next = new Tenancy[held.length - 1];
        System.arraycopy(held, 0, next, 0, place);
        System.arraycopy(held, place + 1, next, place, next.length - place);
        tenancies = next;
        if (speaker == tenancy) {
            Tenancy heir = null;
            for (Tenancy other : next) {
                heir = heir == null || other.epoch > heir.epoch ? other : heir;
            }
            speaker = heir;
        }
    }

    /** Takes over the owners of the node that becomes its only child. */
    void admitOwnersOf(Node lower) {
        Tenancy[] held = lower.tenancies;
        Tenancy lowerSpeaker = lower.speaker;
        Tenancy[] copies = new Tenancy[held.length];
        for (int i = 0; i < held.length; i++) {
            copies[i] = new Tenancy(held[i].owner, held[i].epoch, 1);
            if (held[i] == lowerSpeaker) {
                speaker = copies[i];
            }
        }
        tenancies = copies;
    }

    /** Estimated heap of the node and all that only it refers to, with compressed references. */
    long footprint() {
        Children table = children;
        int owners = tenancies.length;
        return footprint(label.length, owners) + (table == null ? 0 : table.footprint());
    }

    /** The same of a node without children. */
    static long footprint(int labelBytes, int owners) {
        return OBJECT_BYTES + arrayBytes(labelBytes) + arrayBytes(4L * owners) + (long) Tenancy.BYTES * owners;
    }

    static long arrayBytes(long contentBytes) {
        return (16 + contentBytes + 7) & ~7L;
    }

    private static int place(Tenancy[] held, Owner owner) {
        int low = 0;
        int high = held.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int serial = held[middle].owner.serial;
            if (serial == owner.serial) {
                return middle;
            }
            if (serial < owner.serial) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -low - 1;
    }

    /** The label's first part, up to {@code length} bytes, as an array of its own. */
    static byte[] head(byte[] label, int length) {
        return Arrays.copyOf(label, length);
    }

    static byte[] tail(byte[] label, int from) {
        return Arrays.copyOfRange(label, from, label.length);
    }
}
