package io.kvgate.core.request;

/** The part of a request that routing by prefix works on. */
public sealed interface Prompt {
    /** The routing text of the whole conversation, in order. */
    record Text(String text) implements Prompt {}

    /** Token ids given by the client. The array must not be changed. */
    @SuppressWarnings("ArrayRecordComponent") // shared as it is: a copy per request would cost what the parse costs
    record Tokens(int[] ids) implements Prompt {}

    /** Nothing to route on, or the policy does not ask for it. */
    record None() implements Prompt {}

    /** The one {@link None}. */
    Prompt NONE = new None();
}
