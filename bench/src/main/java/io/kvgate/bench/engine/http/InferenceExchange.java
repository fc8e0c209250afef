package io.kvgate.bench.engine.http;

import io.kvgate.bench.engine.answer.Answer;
import io.kvgate.bench.engine.api.ApiException;
import io.kvgate.bench.engine.api.ApiRequest;
import io.kvgate.bench.engine.api.ErrorBodies;
import io.kvgate.bench.engine.api.InferenceApi;
import io.kvgate.bench.engine.driver.EngineRanks;
import io.kvgate.bench.engine.fault.Fault;
import io.kvgate.bench.engine.fault.FaultPlan;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One inference request from its whole body to the end of its answer: meets its faults, feeds the model, writes what
 * comes out. It ends exactly once: answered, cut by a fault, aborted, or left by its client.
 *
 * <p>Threading: confined to the event loop.
 */
final class InferenceExchange implements PacedOutput.EndListener {
    private final EngineCore core;
    private final EngineHandler connection;
    private final ChannelHandlerContext ctx;
    private final InferenceApi api;
    private final String path;
    private final FaultPlan faults;
    private final List<EngineRanks.Place> places = new ArrayList<>();
    private @Nullable Answer answer;
    private @Nullable PacedOutput output;
    private boolean over;

    InferenceExchange(
            EngineCore core, EngineHandler connection, ChannelHandlerContext ctx, InferenceApi api, String path) {
        this.core = core;
        this.connection = connection;
        this.ctx = ctx;
        this.api = api;
        this.path = path;
        this.faults = core.faults.take();
    }

    /** The id of the request; empty before its body is understood. */
    String id() {
        Answer current = answer;
        return current == null ? "" : current.request().id();
    }

    void start(byte[] body, int headerRank, boolean chunked) {
        core.add(this);
        Fault.ErrorStatus error = faults.find(Fault.ErrorStatus.class);
        if (faults.has(Fault.ResetBeforeHead.class)) {
            cut(true);
        } else if (error != null) {
            afterSlowHead(() -> refuse(error));
        } else if (!faults.has(Fault.Hang.class)) {
            try {
                compute(core.parser.parse(api, body, headerRank), chunked);
            } catch (ApiException e) {
                refuse(e.status(), e.text());
            }
        }
    }

    /** The client closed the connection. */
    void clientLeft() {
        if (!over) {
            core.counters.countClientGone();
            end();
        }
    }

    /** The engine went down; the connection is closed by it. */
    void drop() {
        if (!over) {
            end();
        }
    }

    /** Ends the request as aborted; its client gets the rest of a well-formed answer. */
    void abort() {
        Answer current = answer;
        PacedOutput out = output;
        if (over || current == null || out == null || current.complete()) {
            return;
        }
        core.counters.countAborted();
        places.forEach(core.ranks::abort);
        places.clear();
        current.abort().forEach(out::event);
        finishOutput(current, out);
    }

    @Override
    public void ended() {
        core.counters.countCompleted();
        end();
        connection.finished(ctx);
    }

    @Override
    public void cut(boolean reset) {
        if (!over) {
            end();
            connection.cut(ctx.channel(), reset);
        }
    }

    private void compute(ApiRequest request, boolean chunked) {
        if (request.dpRank() >= core.ranks.count()) {
            throw new ApiException(400, "data_parallel_rank: " + request.dpRank() + " is out of range");
        }
        Answer started = new Answer(request, core.nowSeconds());
        PacedOutput out = new PacedOutput(ctx, faults, connection.keepAlive(), chunked, this);
        answer = started;
        output = out;
        if (request.stream()) {
            out.head();
        }
        for (int i = 0; i < request.prompts().size(); i++) {
            int choice = i;
            places.add(core.ranks.submit(
                    request.dpRank(),
                    request.id(),
                    request.prompts().get(i),
                    request.maxTokens(),
                    (simulated, token, last) -> {
                        started.add(choice, token, simulated.cachedTokens(), last)
                                .forEach(out::event);
                        if (started.complete()) {
                            finishOutput(started, out);
                        }
                    }));
        }
    }

    private static void finishOutput(Answer answer, PacedOutput out) {
        if (answer.request().stream()) {
            out.end();
        } else {
            out.document(answer.document().toString());
        }
    }

    private void afterSlowHead(Runnable action) {
        Fault.SlowHead slow = faults.find(Fault.SlowHead.class);
        if (slow == null) {
            action.run();
        } else {
            Future<?> unused = ctx.executor().schedule(action, slow.delay().toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void refuse(Fault.ErrorStatus error) {
        if (over) {
            return;
        }
        String body = error.body();
        FullHttpResponse response = body == null
                ? HttpAnswers.json(
                        error.status(),
                        ErrorBodies.of(core.identity.flavour(), path, error.status(), "simulated failure"))
                : HttpAnswers.whole(error.status(), "application/json", body);
        if (error.retryAfterSeconds() >= 0) {
            response.headers().set(HttpHeaderNames.RETRY_AFTER, error.retryAfterSeconds());
        }
        end();
        connection.send(ctx, response);
    }

    private void refuse(int status, String message) {
        end();
        connection.send(ctx, HttpAnswers.json(status, ErrorBodies.of(core.identity.flavour(), path, status, message)));
    }

    private void end() {
        over = true;
        PacedOutput out = output;
        if (out != null) {
            out.abandon();
        }
        places.forEach(core.ranks::abort);
        places.clear();
        core.remove(this);
    }
}
