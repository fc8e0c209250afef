package io.kvgate.policies.radix;

import io.kvgate.core.request.Prompt;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The way of a prompt down a tree, without a lock; {@link RadixTree} explains why that is right. Stateless. */
final class TreeWalk {
    /** How often a reader looks again at a child that is being split. */
    private static final int MAX_LOOKS = 32;

    private static final byte[] NO_LABEL = {};

    private TreeWalk() {}

    /** @param only the owner whose nodes are walked; null: all nodes */
    static PrefixMatch match(Node root, Prompt prompt, @Nullable Owner only) {
        byte[] text = prompt.bytes();
        int end = prompt.length();
        Node node = root;
        byte[] label = NO_LABEL;
        int at = 0;
        int matched = 0;
        int looks = 0;
        while (at < end) {
            Node child = node.child(CodePoints.key(text, at, end));
            if (child == null || (only != null && child.tenancyOf(only) == null)) {
                break;
            }
            byte[] next = child.label;
            int characters = child.characters;
            if (child.parent != node) {
                if (++looks > MAX_LOOKS) {
                    break;
                }
                Thread.onSpinWait();
                continue;
            }
            int most = Math.min(next.length, end - at);
            int differs = Arrays.mismatch(text, at, at + most, next, 0, most);
            if (differs < 0 && most == next.length) {
                node = child;
                label = next;
                at += most;
                matched = Math.min(prompt.codePoints(), matched + characters);
                continue;
            }
            int agreed = differs < 0 ? most : CodePoints.boundary(next, differs);
            if (agreed == 0) {
                break;
            }
            int inLabel = Math.min(characters, textCharacters(prompt, at, at + agreed));
            matched = Math.min(prompt.codePoints(), matched + inLabel);
            PrefixMatch.Lengths lengths = new PrefixMatch.Lengths(inLabel, matched, prompt.codePoints());
            return new PrefixMatch(child, next, at + agreed, agreed, lengths);
        }
        PrefixMatch.Lengths lengths = new PrefixMatch.Lengths(node.characters, matched, prompt.codePoints());
        return new PrefixMatch(node, label, at, label.length, lengths);
    }

    /** Characters of the range, without those of the scope. */
    private static int textCharacters(Prompt prompt, int from, int to) {
        int start = Math.max(from, prompt.scopeLength());
        if (start >= to) {
            return 0;
        }
        boolean ascii = prompt.codePoints() == prompt.length() - prompt.scopeLength();
        return ascii ? to - start : CodePoints.count(prompt.bytes(), start, to);
    }
}
