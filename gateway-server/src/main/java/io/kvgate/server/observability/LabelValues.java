package io.kvgate.server.observability;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds how many values each label takes, so that names from outside can't fill the memory or the scrape.
 *
 * <p>Threading: any thread. The bound is kept by a counter that is raised before a value is added, so it is never exceeded.
 */
final class LabelValues {
    /** Stands for every value beyond the bound. */
    static final String OTHER = "other";

    private static final Logger LOG = LoggerFactory.getLogger(LabelValues.class);

    private final int maxValues;
    private final Map<String, Values> byLabel = new ConcurrentHashMap<>();

    private static final class Values {
        final Set<String> admitted = ConcurrentHashMap.newKeySet();
        final AtomicInteger count = new AtomicInteger();
        final AtomicInteger warnings = new AtomicInteger();
    }

    LabelValues(int maxValues) {
        if (maxValues < 1) {
            throw new IllegalArgumentException("maxValues: " + maxValues + " (expected: 1 or more)");
        }
        this.maxValues = maxValues;
    }

    /** The value itself, or {@link #OTHER} if the label has as many values as it may. */
    String admit(String label, String value) {
        Values values = byLabel.computeIfAbsent(label, key -> new Values());
        if (values.admitted.contains(value)) {
            return value;
        }
        if (values.count.incrementAndGet() > maxValues) {
            values.count.decrementAndGet();
            if (values.warnings.getAndIncrement() == 0) {
                LOG.warn("label {} has {} values; further ones are counted as \"{}\"", label, maxValues, OTHER);
            }
            return OTHER;
        }
        if (!values.admitted.add(value)) {
            values.count.decrementAndGet();
        }
        return value;
    }

    /** Makes room for another value. */
    void release(String label, String value) {
        Values values = byLabel.get(label);
        if (values != null && values.admitted.remove(value)) {
            values.count.decrementAndGet();
        }
    }
}
