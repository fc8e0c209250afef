package io.kvgate.bench.engine.answer;

import com.fasterxml.jackson.databind.JsonNode;

/** How one API writes answers. Holds no more state than a counter of events. */
sealed interface AnswerFormat
        permits ChatFormat, CompletionFormat, GenerateFormat, MessagesFormat, PoolingFormat, ResponsesFormat {

    /** Events before the first token of a choice. */
    default void open(Answer answer, Choice choice, SseText out) {}

    /** The events of one token; the choice holds it already, and its finish reason if it is the last. */
    void token(Answer answer, Choice choice, String piece, SseText out);

    /** Events after the last token of the last choice. */
    void close(Answer answer, SseText out);

    /** The answer as one document. */
    JsonNode document(Answer answer);
}
