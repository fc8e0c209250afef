package io.kvgate.bench.jmh;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What a thread allocates while it is measured. JMH's profiler also counts what is set up for each iteration, so a benchmark that sets
 * up much takes this as a parameter and counts its calls.
 *
 * <p>Threading: confined to the benchmark's thread, JMH makes one for each.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Allocation {
    static final String BYTES = "allocatedBytes";
    static final String CALLS = "calls";

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long before;
    private long calls;

    @Setup(Level.Iteration)
    public void start() {
        calls = 0;
        before = threads.getCurrentThreadAllocatedBytes();
    }

    /** To be called by the benchmark, once each time. */
    void called() {
        calls++;
    }

    /** Read by JMH at the end of the iteration. */
    public long calls() {
        return calls;
    }

    /** Read by JMH at the end of the iteration, on the thread itself. */
    public long allocatedBytes() {
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
