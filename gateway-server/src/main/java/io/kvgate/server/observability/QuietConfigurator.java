package io.kvgate.server.observability;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * What Logback starts with, found by the service loader: nothing is written until {@link LogSetup} is called, so that no line
 * ignores {@code --log-level} and {@code --json-log}. Also keeps configuration files on the class path out.
 *
 * <p>Threading: called once by Logback.
 */
public final class QuietConfigurator extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
