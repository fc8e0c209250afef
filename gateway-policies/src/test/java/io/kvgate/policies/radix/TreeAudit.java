package io.kvgate.policies.radix;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Recounts a quiet tree from its structure, and reads what each worker holds. */
final class TreeAudit {
    private final RadixTree tree;
    private final Map<Worker, Long> characters = new HashMap<>();
    private long bytes;
    private long nodes;

    private TreeAudit(RadixTree tree) {
        this.tree = tree;
    }

    /**
     * Fails if a link, a label, an owner or a count is wrong.
     *
     * @param workers all that the tree may hold anything of
     * @return nodes, without the root
     */
    static long check(RadixTree tree, Collection<Worker> workers) {
        TreeAudit audit = new TreeAudit(tree);
        ArrayDeque<Node> pending = new ArrayDeque<>();
        pending.push(tree.shape.root);
        while (!pending.isEmpty()) {
            audit.visit(pending.pop(), pending);
        }
        assertThat(tree.bytes()).as("bytes").isEqualTo(audit.bytes - Node.footprint(0, 0));
        for (Worker worker : workers) {
            assertThat(tree.characters(worker)).as("characters of %s", worker).isEqualTo(audit.charactersOf(worker));
        }
        assertThat(workers).containsAll(audit.characters.keySet());
        return audit.nodes;
    }

    private long charactersOf(Worker worker) {
        return characters.getOrDefault(worker, 0L);
    }

    private void visit(Node node, ArrayDeque<Node> pending) {
        bytes += node.footprint();
        boolean root = node == tree.shape.root;
        if (!root) {
            nodes++;
            assertThat(node.tenancies).as("somebody holds the node").isNotEmpty();
            assertThat(node.label).isNotEmpty();
            String text = new String(node.label, StandardCharsets.UTF_8);
            assertThat(text.getBytes(StandardCharsets.UTF_8))
                    .as("whole code points")
                    .isEqualTo(node.label);
        }
        Map<Owner, Integer> heldBelow = new HashMap<>();
        int live = 0;
        Children table = node.children;
        for (int place = 0; table != null && place < table.capacity(); place++) {
            Node child = table.at(place);
            if (child == null) {
                continue;
            }
            live++;
            assertThat(child.parent).isSameAs(node);
            assertThat(node.child(child.key())).isSameAs(child);
            Arrays.stream(child.tenancies).forEach(tenancy -> heldBelow.merge(tenancy.owner, 1, Integer::sum));
            pending.push(child);
        }
        assertThat(table == null ? 0 : table.live()).isEqualTo(live);
        checkTenancies(node, heldBelow);
    }

    private void checkTenancies(Node node, Map<Owner, Integer> heldBelow) {
        Set<Owner> owners = new HashSet<>();
        int serial = 0;
        for (Tenancy tenancy : node.tenancies) {
            owners.add(tenancy.owner);
            assertThat(tenancy.owner.removed).isFalse();
            assertThat(tenancy.owner.serial).as("order").isGreaterThan(serial);
            serial = tenancy.owner.serial;
            assertThat(tenancy.ownedChildren).isEqualTo(heldBelow.getOrDefault(tenancy.owner, 0));
            characters.merge(tenancy.owner.worker, (long) node.characters, Long::sum);
        }
        assertThat(owners).as("who holds a node holds its parent").containsAll(heldBelow.keySet());
        if (owners.isEmpty()) {
            assertThat(node.speaker).isNull();
        } else {
            assertThat(node.tenancies).contains(node.speaker);
        }
    }

    /** All prefixes that a worker holds, as texts with their scope, the empty one left out. */
    static Set<String> held(RadixTree tree, Worker worker) {
        Set<String> prefixes = new TreeSet<>();
        ArrayDeque<Node> nodes = new ArrayDeque<>();
        ArrayDeque<String> texts = new ArrayDeque<>();
        nodes.push(tree.shape.root);
        texts.push("");
        while (!nodes.isEmpty()) {
            Node node = nodes.pop();
            String text = texts.pop();
            if (Arrays.stream(node.tenancies).noneMatch(tenancy -> tenancy.owner.worker == worker)) {
                continue;
            }
            String label = new String(node.label, StandardCharsets.UTF_8);
            for (int at = 0; at < label.length(); ) {
                at = label.offsetByCodePoints(at, 1);
                prefixes.add(text + label.substring(0, at));
            }
            Children table = node.children;
            for (int place = 0; table != null && place < table.capacity(); place++) {
                Node child = table.at(place);
                if (child != null) {
                    nodes.push(child);
                    texts.push(text + label);
                }
            }
        }
        return prefixes;
    }
}
