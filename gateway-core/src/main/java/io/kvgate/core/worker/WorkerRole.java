package io.kvgate.core.worker;

import java.util.Locale;

/** What part of a request a worker serves. */
public enum WorkerRole {
    /** Both prefill and decode. */
    REGULAR,
    PREFILL,
    DECODE;

    /** The label value: {@code regular}, {@code prefill} or {@code decode}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
