package io.kvgate.server.config;

import java.util.ArrayList;
import java.util.List;

/**
 * A flag of the reference or its successor that shapes nothing here. Refused with the reason, or taken with a note where it
 * asks for what is so anyway. The table is complete for the reference, so that none of its flags is merely "unknown".
 *
 * @param name the spelling
 * @param fate what becomes of it
 * @param why the reason, and what to use instead
 */
record ForeignFlag(String name, Fate fate, String why) {
    /** What becomes of the flag. */
    enum Fate {
        /** Taken; a note says that it changes nothing. */
        NO_EFFECT,
        /** Refused until the gateway can do it. */
        NOT_YET,
        /** Refused for good. */
        NOT_OFFERED
    }

    private static final String BLANK = "\\s+";

    static final List<ForeignFlag> ALL = table();

    private static List<ForeignFlag> table() {
        List<ForeignFlag> all = new ArrayList<>();
        noEffect(all, "--enable-igw", "several models are always served");
        noEffect(all, "--disable-audit-logging", "there is no audit log; the access log tells each call");
        noEffect(all, "--disable-tokenizer-autoload", "no tokenizer is loaded");
        addLater(all);
        addNever(all);
        return List.copyOf(all);
    }

    private static void addLater(List<ForeignFlag> all) {
        notYet(
                all,
                "prefill/decode routing",
                "--pd-disaggregation --prefill --decode --prefill-policy --decode-policy");
        notYet(
                all,
                "discovery in Kubernetes; give --worker-urls or use POST /workers",
                "--service-discovery --selector --prefill-selector --decode-selector --service-discovery-port"
                        + " --service-discovery-namespace --router-selector --model-id-from");
        notYet(
                all,
                "TLS; put a terminating proxy in front",
                "--tls-cert-path --tls-key-path --client-cert-path --client-key-path --ca-cert-paths --ca-cert-path");
        notYet(all, "tracing; traceparent is passed on", "--enable-trace --otlp-traces-endpoint");
        notYet(
                all,
                "tokenizing in the gateway",
                "--model-path --model --tokenizer-path --chat-template --tokenizer-cache-enable-l0"
                        + " --tokenizer-cache-l0-max-entries --tokenizer-cache-enable-l1 --tokenizer-cache-l1-max-memory");
        notYet(
                all,
                "the policy that reads it; see --policy",
                "--block-size --balance-token-usage-threshold --overload-token-usage-threshold --routing-key-override");
        notYet(all, "one worker per data-parallel rank", "--dp-aware --dp-minimum-tokens-scheduler");
        notYet(all, "other names for models", "--model-alias");
        notYet(all, "a health check on another port", "--health-check-port");
        notYet(
                all,
                "JWT; use --control-plane-api-keys",
                "--jwt-issuer --jwt-audience --jwt-jwks-uri --jwt-role-claim --jwt-role-mapping");
        notYet(all, "an audit log; the access log tells each call", "--control-plane-audit-enabled");
    }

    private static void addNever(List<ForeignFlag> all) {
        never(all, "it is for tests; --policy random on the gateway does the same", "--mini-lb");
        never(all, "parsing belongs to the engines; set their own flags", "--reasoning-parser --tool-call-parser");
        never(all, "MCP is the client's or the engine's part", "--mcp-config-path");
        never(all, "WASM middleware; put a proxy in front that filters", "--enable-wasm");
        never(
                all,
                "conversations are not stored; the engines' own /v1/responses is proxied",
                "--history-backend --oracle-wallet-path --oracle-tns-alias --oracle-connect-descriptor --oracle-dsn"
                        + " --oracle-username --oracle-user --oracle-password --oracle-pool-min --oracle-pool-max"
                        + " --oracle-pool-timeout-secs --postgres-db-url --postgres-pool-max --postgres-pool-max-size"
                        + " --redis-url --redis-pool-max --redis-pool-max-size --redis-retention-days"
                        + " --storage-context-headers");
        never(
                all,
                "gateways need no mesh; run several behind any load balancer",
                "--enable-mesh --mesh-server-name --mesh-host --mesh-port --mesh-peer-urls --mesh-advertise-host");
        never(
                all,
                "least_load weighs work by itself, without thresholds",
                "--least-load-kv-pressure-weight --least-load-default-throughput --least-load-mean-prefill-tokens");
        never(all, "tenants belong to a gateway of their own in front", "--trust-tenant-header --tenant-header-name");
        never(
                all,
                "not ready workers are kept and checked on; remove one by DELETE /workers/{id}",
                "--remove-unhealthy-workers");
        never(all, "workers are checked from the start; see --worker-startup-timeout-secs", "--worker-startup-delay");
        never(all, "threads are set by --event-loops", "--runtime-worker-threads");
        never(all, "/engine_metrics is always there", "--engine-metrics");
        never(all, "encode/prefill/decode", "--epd-disaggregation --encode --encode-policy --encode-selector");
        never(all, "the gateway starts no engines; start them and give --worker-urls", "--router-dp-worker-base-port");
    }

    private static void noEffect(List<ForeignFlag> all, String name, String why) {
        all.add(new ForeignFlag(name, Fate.NO_EFFECT, why));
    }

    private static void notYet(List<ForeignFlag> all, String what, String names) {
        for (String name : names.split(BLANK)) {
            all.add(new ForeignFlag(name, Fate.NOT_YET, what));
        }
    }

    private static void never(List<ForeignFlag> all, String why, String names) {
        for (String name : names.split(BLANK)) {
            all.add(new ForeignFlag(name, Fate.NOT_OFFERED, why));
        }
    }

    /** The line about a given flag. */
    String message() {
        return switch (fate) {
            case NO_EFFECT -> name + ": no effect, " + why;
            case NOT_YET -> name + ": not available yet: " + why;
            case NOT_OFFERED -> name + ": not offered: " + why;
        };
    }
}
