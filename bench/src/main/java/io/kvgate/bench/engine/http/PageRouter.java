package io.kvgate.bench.engine.http;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.bench.engine.api.ApiException;
import io.kvgate.bench.engine.api.ByteTokenizer;
import io.kvgate.bench.engine.api.EngineFlavour;
import io.kvgate.bench.engine.api.ErrorBodies;
import io.kvgate.bench.engine.api.PromptReader;
import io.kvgate.bench.engine.fault.HealthFault;
import io.kvgate.bench.engine.page.InfoPages;
import io.kvgate.bench.engine.page.MetricsPage;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers everything that is not inference: health, information, tokens, cache and abort. Each flavour has its own
 * paths; the other's are unknown to it.
 *
 * <p>Threading: confined to the event loop.
 */
final class PageRouter {
    private final EngineCore core;
    private final InfoPages info;
    private final MetricsPage metrics;
    private final boolean vllm;

    PageRouter(EngineCore core) {
        this.core = core;
        this.info = new InfoPages(core.identity);
        this.metrics = new MetricsPage(core.identity);
        this.vllm = core.identity.flavour() == EngineFlavour.VLLM;
    }

    void answer(EngineHandler connection, ChannelHandlerContext ctx, HttpMethod method, String path, byte[] body) {
        boolean get = method.equals(HttpMethod.GET);
        boolean generateProbe = path.equals("/health_generate") && !vllm;
        if (get && (path.equals("/health") || generateProbe)) {
            health(connection, ctx, generateProbe);
            return;
        }
        FullHttpResponse response;
        try {
            response = get ? page(path) : method.equals(HttpMethod.POST) ? action(path, body) : null;
        } catch (ApiException e) {
            response =
                    HttpAnswers.json(e.status(), ErrorBodies.of(core.identity.flavour(), path, e.status(), e.text()));
        }
        if (response == null) {
            FullHttpResponse known = get ? null : page(path);
            int status = known == null ? 404 : 405;
            ReferenceCountUtil.release(known);
            response = HttpAnswers.json(status, ErrorBodies.unrouted(status));
        }
        connection.send(ctx, response);
    }

    private @Nullable FullHttpResponse page(String path) {
        return switch (path) {
            case "/v1/models" -> ok(info.models());
            case "/metrics" ->
                HttpAnswers.whole(200, "text/plain; version=0.0.4; charset=utf-8", metrics.render(core.ranks.stats()));
            case "/load" -> vllm ? ok(info.serverLoad(core.counters.inFlight())) : null;
            case "/version" -> vllm ? ok(info.version()) : null;
            case "/ping" -> HttpAnswers.text(200, "");
            default -> vllm ? null : sglangPage(path);
        };
    }

    private @Nullable FullHttpResponse sglangPage(String path) {
        return switch (path) {
            case "/model_info", "/get_model_info" -> ok(info.modelInfo());
            case "/server_info", "/get_server_info" -> ok(info.serverInfo(core.ranks.stats()));
            case "/get_load" -> ok(info.getLoad(core.ranks.stats()));
            case "/v1/loads" -> ok(info.loads(core.ranks.stats()));
            default -> null;
        };
    }

    private @Nullable FullHttpResponse action(String path, byte[] body) {
        return switch (path) {
            case "/tokenize", "/v1/tokenize" ->
                ok(info.tokenized(PromptReader.tokenizeBody(core.parser.parseObject(body))));
            case "/detokenize", "/v1/detokenize" -> {
                JsonNode tokens = core.parser.parseObject(body).path("tokens");
                yield ok(info.detokenized(ByteTokenizer.detokenize(PromptReader.tokenIds(tokens))));
            }
            case "/reset_prefix_cache" -> vllm ? flush() : null;
            case "/flush_cache" -> vllm ? null : flush();
            case "/abort_request" -> vllm ? null : abort(core.parser.parseObject(body));
            default -> null;
        };
    }

    private FullHttpResponse flush() {
        return core.ranks.resetPrefixCache()
                ? HttpAnswers.text(200, "Cache flushed.\n")
                : HttpAnswers.text(400, "Cache not flushed: requests are running.\n");
    }

    private FullHttpResponse abort(JsonNode body) {
        core.abort(body.path("rid").asText(""), body.path("abort_all").asBoolean(false));
        return HttpAnswers.text(200, "");
    }

    private void health(EngineHandler connection, ChannelHandlerContext ctx, boolean generate) {
        HealthFault fault = core.faults.takeHealth();
        if (fault.silent()) {
            return;
        }
        Runnable answer = () -> {
            if (ctx.channel().isActive()) {
                connection.send(ctx, HttpAnswers.text(fault.status(), ""));
            }
        };
        if (!fault.delay().isZero()) {
            Future<?> unused = ctx.executor().schedule(answer, fault.delay().toNanos(), TimeUnit.NANOSECONDS);
        } else if (generate && fault.status() == 200) {
            core.ranks.submit(-1, "HEALTH_CHECK", new int[] {0}, 1, (request, token, last) -> answer.run());
        } else {
            answer.run();
        }
    }

    private static FullHttpResponse ok(JsonNode body) {
        return HttpAnswers.json(200, body);
    }
}
