package io.kvgate.policies.radix;

import io.kvgate.core.worker.Worker;
import org.jspecify.annotations.Nullable;

/**
 * How far a prompt agrees with what a tree has seen, and who was sent that much. It is a view of the moment: workers may have lost what
 * they held since.
 *
 * <p>Threading: confined to the thread that matched.
 */
public final class PrefixMatch {
    /** The deepest node reached; the root if nothing agrees. */
    final Node node;

    /** The node's label when it was compared. */
    final byte[] label;

    /** Bytes of the prompt that agree. */
    final int agreed;

    /** Bytes of the label that agree; all of them, unless the prompt leaves the tree within the node. */
    final int agreedInLabel;

    /** Characters of the label that agree. */
    final int charactersInLabel;

    /** Characters of the whole match, whatever {@link #widen} did since. */
    final int agreedCharacters;

    private final int total;
    private Node answering;
    private int matched;
    private Tenancy[] owners;

    PrefixMatch(Node node, byte[] label, int agreed, int agreedInLabel, Lengths lengths) {
        this.node = node;
        this.label = label;
        this.agreed = agreed;
        this.agreedInLabel = agreedInLabel;
        charactersInLabel = lengths.inLabel;
        agreedCharacters = lengths.matched;
        total = lengths.total;
        answering = node;
        matched = lengths.matched;
        owners = node.tenancies;
    }

    /** In characters. */
    record Lengths(int inLabel, int matched, int total) {}

    /** Whether the prompt leaves the tree within the deepest node. */
    boolean partial() {
        return agreedInLabel < label.length;
    }

    /** Characters of the text that agree; the scope doesn't count. */
    public int matchedCharacters() {
        return matched;
    }

    /** Characters of the prompt's text. */
    public int totalCharacters() {
        return total;
    }

    /** Who answers for the match: the worker that was sent it first, if it still holds it. Null: nobody holds anything. */
    public @Nullable Worker owner() {
        Tenancy speaker = answering.speaker;
        return speaker == null ? null : speaker.owner.worker;
    }

    /** How many workers hold the match. */
    public int ownerCount() {
        return owners.length;
    }

    /** @param index 0 to ownerCount() − 1 */
    public Worker owner(int index) {
        return owners[index].owner.worker;
    }

    /**
     * Turns to the longest shorter match that more workers hold. An insert goes on from the whole match all the same.
     *
     * @return false: there is none; nothing has changed
     */
    public boolean widen() {
        Node at = answering;
        int left = matched;
        do {
            Node parent = at.parent;
            if (parent == null) {
                return false;
            }
            left -= at == node ? charactersInLabel : at.characters;
            at = parent;
        } while (at.tenancies.length <= owners.length);
        answering = at;
        matched = Math.max(0, left);
        owners = at.tenancies;
        return true;
    }
}
