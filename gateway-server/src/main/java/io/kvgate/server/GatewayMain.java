package io.kvgate.server;

import io.kvgate.policies.PolicySettings;
import io.kvgate.server.config.CommandLineOutcome;
import io.kvgate.server.config.ConfigLoader;
import io.kvgate.server.config.GatewayConfig;
import io.kvgate.server.observability.LogSetup;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process: arguments → configuration → gateway → exit code. 0 after a graceful end, help and version; 2 if what was asked
 * for can't be done, with all reasons on standard error; 1 if the gateway broke.
 *
 * <p>Threading: everything here runs on the main thread, but for the graceful close, which a signal starts.
 */
public final class GatewayMain {
    private static final int OK = 0;
    private static final int BROKEN = 1;
    private static final int REFUSED = 2;

    private final Set<String> policies;
    private final Starter starter;
    private final PrintStream out;
    private final PrintStream err;

    /** Starts a gateway. */
    @FunctionalInterface
    interface Starter {
        /** @throws IOException if an address can't be bound; the message is one line that names the flag */
        RunningGateway start(GatewayConfig config) throws IOException;
    }

    /** What the process needs of a gateway. */
    interface RunningGateway extends AutoCloseable {
        /** The main listener's port. */
        int port();

        /** The Prometheus listener's port. */
        int metricsPort();

        /** Returns when the gateway is closed. */
        void awaitShutdown() throws InterruptedException;

        /** Graceful; may be called more than once. */
        @Override
        void close();
    }

    GatewayMain(Set<String> policies, Starter starter, PrintStream out, PrintStream err) {
        this.policies = policies;
        this.starter = starter;
        this.out = out;
        this.err = err;
    }

    /** Starts the gateway that the arguments describe, and ends the process when it has ended. */
    public static void main(String[] arguments) {
        int exitCode =
                new GatewayMain(PolicySettings.names(), Gateway::start, System.out, System.err).run(List.of(arguments));
        System.exit(exitCode);
    }

    /** The exit code, once the gateway has ended. */
    int run(List<String> arguments) {
        CommandLineOutcome outcome = new ConfigLoader(policies, versionText()).load(arguments);
        if (outcome instanceof CommandLineOutcome.Print print) {
            out.print(print.text());
            out.flush();
            return OK;
        }
        if (outcome instanceof CommandLineOutcome.Refuse refuse) {
            refuse.problems().forEach(this::printProblem);
            err.println("kvgate: not started; see --help");
            return REFUSED;
        }
        return serve((CommandLineOutcome.Start) outcome);
    }

    private int serve(CommandLineOutcome.Start start) {
        try (LogSetup logs = LogSetup.start(start.config().log(), out)) {
            Logger logger = LoggerFactory.getLogger(GatewayMain.class);
            logger.info("{}", versionText());
            logger.info("configuration: {}", String.join(" ", start.effective()));
            start.notes().forEach(note -> logger.warn("{}", note));
            return serve(start.config(), logger, logs);
        } catch (IOException e) {
            printProblem(String.valueOf(e.getMessage()));
            return REFUSED;
        }
    }

    private int serve(GatewayConfig config, Logger logger, LogSetup logs) throws IOException {
        try (RunningGateway gateway = starter.start(config)) {
            new StopSignals(gateway::close, Runtime.getRuntime()::halt).install();
            String addresses = "kvgate " + version() + " listening on "
                    + config.listen().url(gateway.port()) + " , metrics on "
                    + config.metrics().url(gateway.metricsPort());
            if (config.log().json()) {
                logger.info("{}", addresses); // a bare line would break readers of JSON
            } else {
                out.println(addresses);
                out.flush();
            }
            gateway.awaitShutdown();
            logger.info("ended; {} log lines dropped in all", logs.droppedLines());
            return OK;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return BROKEN;
        } catch (RuntimeException e) {
            logger.error("gateway failed", e);
            printProblem("failed: " + e);
            return BROKEN;
        }
    }

    private void printProblem(String line) {
        err.println("kvgate: " + line);
    }

    /** Name, version, Java and operating system in one line. */
    private static String versionText() {
        return "kvgate " + version() + " (Java " + System.getProperty("java.version") + ", "
                + System.getProperty("os.name") + " " + System.getProperty("os.arch") + ")";
    }

    /** The jar's version; {@code dev} when run from classes. */
    private static String version() {
        @Nullable String version = GatewayMain.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }
}
