package io.kvgate.server.config;

/** The headings under which flags are listed, in the order of the list. */
enum FlagGroup {
    LISTENER("Listener"),
    WORKERS("Workers and routing"),
    POLICIES("Policies"),
    TIMEOUTS("Timeouts and connections to workers"),
    RETRIES("Retries"),
    BREAKER("Circuit breaker"),
    HEALTH("Health checks"),
    ADMISSION("Admission"),
    SECURITY("Keys and headers"),
    SHUTDOWN("Shutdown"),
    METRICS("Metrics"),
    LOGS("Logs");

    private final String title;

    FlagGroup(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
