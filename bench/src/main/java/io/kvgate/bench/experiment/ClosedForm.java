package io.kvgate.bench.experiment;

/**
 * How much of its prefixes an engine's cache can be expected to hold.
 *
 * <p>With uniformly drawn prefixes and a least-recently-used cache that holds {@code M} of {@code n} prefixes, a request finds its
 * prefix with probability {@code M / n}. What requests do not share (turns and answers) takes room as well until it is evicted: Che's
 * approximation says that a block stays for a time {@code T} after its last use, the same for all, so with
 * {@code x = T * (rate of one prefix)}
 *
 * <pre>  n * b * (1 - e^-x)  +  n * x * g  =  B          hit = 1 - e^-x</pre>
 *
 * where a prefix has {@code b} blocks, a request {@code g} further ones, and the pool {@code B}. The rates themselves cancel out.
 */
final class ClosedForm {
    private static final int STEPS = 200;
    private static final double LONGEST = 1e6;

    private ClosedForm() {}

    /**
     * Probability that a request finds its prefix in the cache of the replica that gets it, 0 to 1.
     *
     * @param prefixes that come to this replica, equally often; above 0
     * @param prefixBlocks of each
     * @param otherBlocks of each request; 0 or more
     * @param poolBlocks that can be used
     */
    static double hit(double prefixes, double prefixBlocks, double otherBlocks, double poolBlocks) {
        double low = 0;
        double high = LONGEST;
        for (int i = 0; i < STEPS; i++) {
            double x = (low + high) / 2;
            if (prefixes * prefixBlocks * -Math.expm1(-x) + prefixes * x * otherBlocks < poolBlocks) {
                low = x;
            } else {
                high = x;
            }
        }
        return -Math.expm1(-low);
    }
}
