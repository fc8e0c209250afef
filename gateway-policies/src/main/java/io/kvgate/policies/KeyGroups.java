package io.kvgate.policies;

import io.kvgate.core.worker.Worker;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many distinct routing keys have a request in flight at each worker.
 *
 * <p>Threading: any thread. A group is changed only within {@link ConcurrentHashMap#compute} of its worker, so changes at one worker
 * wait for each other, for the time of a look-up.
 */
final class KeyGroups {
    private static final class Group {
        private final Map<String, Integer> requestsOfKey = new HashMap<>();
        private volatile int size;
    }

    private final Map<Worker, Group> groups = new ConcurrentHashMap<>();

    int size(Worker worker) {
        Group group = groups.get(worker);
        return group == null ? 0 : group.size;
    }

    void enter(Worker worker, String key) {
        groups.compute(worker, (w, present) -> {
            Group group = present == null ? new Group() : present;
            group.requestsOfKey.merge(key, 1, Integer::sum);
            group.size = group.requestsOfKey.size();
            return group;
        });
    }

    /** Does nothing if it has not entered. A worker without keys is forgotten. */
    void leave(Worker worker, String key) {
        groups.computeIfPresent(worker, (w, group) -> {
            group.requestsOfKey.computeIfPresent(key, (k, requests) -> requests == 1 ? null : requests - 1);
            group.size = group.requestsOfKey.size();
            return group.size == 0 ? null : group;
        });
    }
}
