package io.kvgate.core.cache;

import java.util.Arrays;

/**
 * How much of one prompt each of some workers holds, by their position in the question. Filled again for each request.
 *
 * <p>Threading: confined to one thread.
 */
public final class OverlapScores {
    private int[] deviceTokens = new int[16];
    private int[] hostTokens = new int[16];
    private CacheTrust[] trust = new CacheTrust[16];
    private int[] scratch = new int[64];
    private int size;

    /** Room for the view's own counting, of at least that many zeros. */
    public int[] scratch(int length) {
        if (scratch.length < length) {
            scratch = new int[Math.max(length, scratch.length * 2)];
        } else {
            Arrays.fill(scratch, 0, length, 0);
        }
        return scratch;
    }

    /** Makes room for that many workers, all with nothing. */
    public void reset(int workers) {
        if (deviceTokens.length < workers) {
            int room = Math.max(workers, deviceTokens.length * 2);
            deviceTokens = new int[room];
            hostTokens = new int[room];
            trust = new CacheTrust[room];
        }
        Arrays.fill(deviceTokens, 0, workers, 0);
        Arrays.fill(hostTokens, 0, workers, 0);
        Arrays.fill(trust, 0, workers, CacheTrust.NONE);
        size = workers;
    }

    /**
     * @param device tokens of the longest unbroken prefix that lie in the accelerator's memory; at least 0
     * @param host tokens of the same prefix that lie in a slower tier of the worker; at least 0
     */
    public void set(int index, int device, int host) {
        deviceTokens[index] = device;
        hostTokens[index] = host;
    }

    public void trust(int index, CacheTrust trusted) {
        trust[index] = trusted;
    }

    public int size() {
        return size;
    }

    /** Tokens of the unbroken prefix, in whatever tier. */
    public int tokens(int index) {
        return deviceTokens[index] + hostTokens[index];
    }

    /** Those that lie in a slower tier. */
    public int hostTokens(int index) {
        return hostTokens[index];
    }

    public CacheTrust trust(int index) {
        return trust[index];
    }
}
