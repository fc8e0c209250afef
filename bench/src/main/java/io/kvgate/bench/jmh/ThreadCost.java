package io.kvgate.bench.jmh;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What the measured thread itself spends: processor time, which other processes do not lengthen by taking turns with it, and memory,
 * without that of the set-up before each iteration, which JMH's profiler counts as well. A benchmark takes it as a parameter and says
 * {@link #called} once each time.
 *
 * <p>Threading: confined to the benchmark's thread, JMH makes one for each.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class ThreadCost {
    static final String BYTES = "allocatedBytes";
    static final String CPU = "cpuNanos";
    static final String CALLS = "calls";

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private long bytesBefore;
    private long cpuBefore;
    private long calls;

    @Setup(Level.Iteration)
    public void start() {
        calls = 0;
        bytesBefore = threads.getCurrentThreadAllocatedBytes();
        cpuBefore = threads.getCurrentThreadCpuTime();
    }

    void called() {
        calls++;
    }

    /** Read by JMH at the end of an iteration, as the two below. */
    public long calls() {
        return calls;
    }

    public long allocatedBytes() {
        return threads.getCurrentThreadAllocatedBytes() - bytesBefore;
    }

    public long cpuNanos() {
        return threads.getCurrentThreadCpuTime() - cpuBefore;
    }
}
