package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvgate.bench.engine.api.ApiRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * The answer to one request while it grows: takes tokens, gives events or, at the end, one document.
 *
 * <p>Threading: confined to the engine's event loop.
 */
public final class Answer {
    private final ApiRequest request;
    private final long createdSeconds;
    private final AnswerFormat format;
    private final List<Choice> choices = new ArrayList<>();
    private final SseText events = new SseText();
    private int unfinished;

    /**
     * Begins an answer.
     *
     * @param createdSeconds wall-clock time in seconds since 1970
     */
    public Answer(ApiRequest request, long createdSeconds) {
        this.request = request;
        this.createdSeconds = createdSeconds;
        this.format = switch (request.api()) {
            case CHAT -> new ChatFormat();
            case COMPLETIONS -> new CompletionFormat();
            case GENERATE -> new GenerateFormat();
            case RESPONSES -> new ResponsesFormat();
            case MESSAGES -> new MessagesFormat();
            case EMBEDDINGS, RERANK, SCORE, CLASSIFY -> new PoolingFormat();
        };
        for (int[] prompt : request.prompts()) {
            choices.add(new Choice(choices.size(), prompt));
        }
        unfinished = choices.size();
    }

    public ApiRequest request() {
        return request;
    }

    /** Whether every choice has ended. */
    public boolean complete() {
        return unfinished == 0;
    }

    /** Takes one token; answers the events it causes, none unless the request streams. */
    public List<String> add(int choiceIndex, int token, int cachedTokens, boolean last) {
        Choice choice = choices.get(choiceIndex);
        boolean first = choice.completionTokens() == 0;
        String piece = choice.add(token, cachedTokens);
        if (last) {
            choice.finish(request.limitGiven() ? "length" : "stop");
            unfinished--;
        }
        if (!request.stream()) {
            return List.of();
        }
        if (first) {
            format.open(this, choice, events);
        }
        format.token(this, choice, piece, events);
        if (complete()) {
            format.close(this, events);
        }
        return events.take();
    }

    /** Ends the choices that still run, because the request was aborted; answers the events this causes. */
    public List<String> abort() {
        for (Choice choice : choices) {
            if (choice.finishReason() == null) {
                choice.finish("abort");
                if (request.stream()) {
                    format.token(this, choice, "", events);
                }
            }
        }
        unfinished = 0;
        if (request.stream()) {
            format.close(this, events);
        }
        return events.take();
    }

    /** The whole answer as one document. */
    public JsonNode document() {
        return format.document(this);
    }

    long createdSeconds() {
        return createdSeconds;
    }

    List<Choice> choices() {
        return choices;
    }

    Usage usage() {
        int prompt = 0;
        int cached = 0;
        int completion = 0;
        for (Choice choice : choices) {
            prompt += choice.promptTokens();
            cached += choice.cachedTokens();
            completion += choice.completionTokens();
        }
        return new Usage(prompt, cached, completion);
    }
}
