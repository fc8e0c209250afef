package io.kvgate.server.config;

import java.time.Duration;

/**
 * How workers are taken in.
 *
 * @param startupTimeout how long a worker may take until its first good probe before it counts as failed (it is probed on)
 * @param loadPollInterval pause between polls of engine load
 */
public record RegistrationConfig(Duration startupTimeout, Duration loadPollInterval) {
    public static final RegistrationConfig DEFAULT =
            new RegistrationConfig(Duration.ofSeconds(1800), Duration.ofSeconds(30));

    public RegistrationConfig {
        Check.positive("startupTimeout", startupTimeout);
        Check.positive("loadPollInterval", loadPollInterval);
    }
}
