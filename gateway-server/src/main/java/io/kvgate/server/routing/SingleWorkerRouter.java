package io.kvgate.server.routing;

import io.kvgate.core.error.GatewayException;
import io.kvgate.core.worker.Worker;
import io.kvgate.server.upstream.UpstreamHead;
import java.util.concurrent.TimeUnit;

/**
 * Routes a request to one worker that serves it whole, and to another if that fails before anything reached the client.
 *
 * <p>When to try again: at once elsewhere, if the worker can't have begun the request; else after the pause that the flags set. A
 * worker that asks to wait (429, or {@code Retry-After}) is believed: when no untried worker is left its answer goes to the client.
 *
 * <p>Threading: stateless; shared by all event loops.
 */
public final class SingleWorkerRouter implements RequestRouter, Attempt.Retries {
    private static final int TOO_MANY_REQUESTS = 429;

    @Override
    public void route(Exchange exchange) {
        if (exchange.ended()) {
            return;
        }
        WorkerSelector.Selection selection;
        try {
            selection = exchange.services().selector().select(exchange);
        } catch (GatewayException e) {
            exchange.fail(e);
            return;
        }
        exchange.begin(new Attempt(exchange, selection, this));
    }

    @Override
    public boolean insteadOf(Exchange exchange, Worker worker, UpstreamHead head) {
        exchange.addFailedWorker(worker);
        boolean untried = exchange.services().selector().hasUntried(exchange);
        boolean asksToWait = head.status() == TOO_MANY_REQUESTS || RetryAfter.nanos(head.headers()) > 0;
        return mayGoOn(exchange) && (untried || !asksToWait);
    }

    private static boolean mayGoOn(Exchange exchange) {
        return exchange.trace().attempts() < exchange.services().retry().maxAttempts() && exchange.nanosLeft() > 0;
    }

    @Override
    public void onAttemptFailed(Exchange exchange, AttemptFailure failure) {
        exchange.addFailedWorker(failure.worker());
        exchange.addFailedStatus(failure.status());
        String endpoint = exchange.request().endpoint().label();
        int attempts = exchange.trace().attempts();
        long pause = pauseNanos(exchange, failure);
        if (!mayGoOn(exchange) || pause >= exchange.nanosLeft()) {
            if (attempts > 1) {
                exchange.services().meters().exhausted(endpoint);
            }
            exchange.fail(error(failure, attempts));
            return;
        }
        exchange.services().meters().retry(endpoint, attempts, pause / 1e9);
        exchange.after(pause, () -> route(exchange));
    }

    private static long pauseNanos(Exchange exchange, AttemptFailure failure) {
        if (failure.code().workerUntouched() && exchange.services().selector().hasUntried(exchange)) {
            return 0;
        }
        int retry = exchange.trace().attempts() - 1;
        return TimeUnit.MILLISECONDS.toNanos(exchange.services()
                .retry()
                .backoffMillis(retry, exchange.services().random()));
    }

    private static GatewayException error(AttemptFailure failure, int attempts) {
        String tries = attempts > 1 ? " (attempt " + attempts + ")" : "";
        return new GatewayException(failure.code(), "worker " + failure.worker().id() + ": " + failure.cause() + tries);
    }
}
