package io.kvgate.bench.engine.fault;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The faults that one request meets, looked up by kind. */
public final class FaultPlan {
    private final List<Fault> faults;

    FaultPlan(List<Fault> faults) {
        this.faults = List.copyOf(faults);
    }

    /** The first fault of a kind, or null. */
    public <T extends Fault> @Nullable T find(Class<T> kind) {
        for (Fault fault : faults) {
            if (kind.isInstance(fault)) {
                return kind.cast(fault);
            }
        }
        return null;
    }

    public boolean has(Class<? extends Fault> kind) {
        return find(kind) != null;
    }
}
