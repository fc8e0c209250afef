package io.kvgate.server.admin;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.kvgate.core.worker.Worker;
import io.kvgate.core.worker.WorkerRegistry;
import io.kvgate.server.monitor.WorkerReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Picks a worker for a call that any worker can answer, in turn, and the next one if it can't.
 *
 * <p>Threading: any thread.
 */
final class WorkerChoice {
    private static final int MAX_TRIES = 3;

    private final WorkerRegistry registry;
    private final AtomicInteger turn = new AtomicInteger();

    WorkerChoice(WorkerRegistry registry) {
        this.registry = registry;
    }

    /**
     * Asks available workers one after the other, three at most, until {@code accept} makes something of a reply.
     *
     * @param question how to ask one; its future never fails
     * @param accept the result, or null if the reply is of no use
     * @throws GatewayException if no worker is available
     */
    <T> CompletableFuture<T> ask(
            Function<Worker, CompletableFuture<WorkerReply>> question,
            BiFunction<Worker, WorkerReply, @Nullable T> accept) {
        return next(candidates(), 0, question, accept);
    }

    private List<Worker> candidates() {
        List<Worker> all = registry.snapshot().workers();
        if (all.isEmpty()) {
            throw new GatewayException(ErrorCode.NO_WORKERS, "no workers are registered");
        }
        List<Worker> available = new ArrayList<>();
        int first = Math.floorMod(turn.getAndIncrement(), all.size());
        for (int i = 0; i < all.size() && available.size() < MAX_TRIES; i++) {
            Worker worker = all.get((first + i) % all.size());
            if (worker.available()) {
                available.add(worker);
            }
        }
        if (available.isEmpty()) {
            throw new GatewayException(
                    ErrorCode.NO_AVAILABLE_WORKERS, "none of " + all.size() + " workers is available");
        }
        return available;
    }

    private static <T> CompletableFuture<T> next(
            List<Worker> workers,
            int index,
            Function<Worker, CompletableFuture<WorkerReply>> question,
            BiFunction<Worker, WorkerReply, @Nullable T> accept) {
        Worker worker = workers.get(index);
        return question.apply(worker).thenCompose(reply -> {
            T result = accept.apply(worker, reply);
            if (result != null) {
                return CompletableFuture.completedFuture(result);
            }
            if (index + 1 < workers.size()) {
                return next(workers, index + 1, question, accept);
            }
            return CompletableFuture.failedFuture(new GatewayException(
                    reply.status() == 404 ? ErrorCode.NOT_FOUND : reply.errorCode(),
                    "worker " + worker.id() + ": " + (reply.ok() ? "unusable answer" : reply.detail())));
        });
    }
}
