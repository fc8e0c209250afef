package io.kvgate.core.health;

import static java.util.Objects.requireNonNull;

/**
 * What one probe found.
 *
 * @param healthy whether the worker may be used
 * @param detail why not, in words for the workers API, without address or secret; empty if healthy
 */
public record ProbeResult(boolean healthy, String detail) {
    private static final ProbeResult HEALTHY = new ProbeResult(true, "");

    public ProbeResult {
        requireNonNull(detail, "detail");
    }

    public static ProbeResult ok() {
        return HEALTHY;
    }

    public static ProbeResult failed(String detail) {
        return new ProbeResult(false, detail);
    }

    /** The judgement of a probe that got an HTTP answer: 2xx is healthy; 401 and 403 name the likely cause. */
    public static ProbeResult ofStatus(int status) {
        if (status >= 200 && status < 300) {
            return HEALTHY;
        }
        return failed(
                status == 401 || status == 403
                        ? status + " from worker: check its api key"
                        : "status " + status + " from its health endpoint");
    }
}
