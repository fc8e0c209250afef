package io.kvgate.server.body;

import io.kvgate.core.error.GatewayException;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.Prompt;
import io.kvgate.server.body.PromptReader.Counted;
import io.kvgate.server.body.ScopeFields.Field;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Reads from a body what routing needs, in one pass: checks that it is one JSON object, finds {@code model} and {@code stream} and,
 * if it is wanted, the prompt. No tree is built and the body stays as it is.
 *
 * <p>Where the prompt is, by endpoint:
 *
 * <table>
 * <caption>Text and ids</caption>
 * <tr><td>chat</td><td>{@code messages}</td></tr>
 * <tr><td>messages</td><td>{@code system}, then {@code messages}, whichever comes first in the body</td></tr>
 * <tr><td>responses</td><td>{@code input}: a string, or the messages among its items</td></tr>
 * <tr><td>completions</td><td>{@code prompt}: texts or ids</td></tr>
 * <tr><td>generate</td><td>{@code text}, else {@code prompt}, else {@code input_ids}, whose decimals are the text</td></tr>
 * <tr><td>embeddings, classify</td><td>{@code input}: texts or ids; or {@code messages}</td></tr>
 * <tr><td>rerank</td><td>{@code query}</td></tr>
 * <tr><td>score</td><td>{@code query} or {@code text_1}: what all scores of a request share</td></tr>
 * <tr><td>tokenize</td><td>{@code prompt} or {@code messages}</td></tr>
 * <tr><td>detokenize</td><td>nowhere</td></tr>
 * </table>
 *
 * Of a text more than {@link #MAX_TEXT_BYTES} only the beginning counts, of ids the first {@link #MAX_IDS}: prefixes are what matters.
 *
 * <p>Threading: confined to one thread, which may hand the last prompt to another and then not read again.
 */
public final class RequestReader {
    /** About how much of a text is kept. */
    public static final int MAX_TEXT_BYTES = 4 << 20;
    /** How many token ids are kept. */
    public static final int MAX_IDS = 1 << 20;

    static final int MAX_MODEL_BYTES = 65_536;
    private static final int WINDOW_BYTES = 65_536;

    private enum Member {
        MODEL,
        STREAM,
        MESSAGES,
        SYSTEM,
        INPUT,
        PROMPT,
        TEXT,
        INPUT_IDS,
        QUERY,
        TEXT_1,
        CACHE_SALT,
        EXTRA_KEY,
        LORA_PATH,
        LORA_NAME,
        LORA_REQUEST,
        INSTRUCTIONS,
        TOOLS,
        FUNCTIONS,
        OTHER,
        END
    }

    private static final NameSet<Member> MEMBERS = NameSet.of(Member.values(), Member.OTHER, Member.END);

    private final JsonScanner scanner;
    private final TextBuffer model = new TextBuffer(MAX_MODEL_BYTES);
    private final TextBuffer text;
    private final TokenIds ids = new TokenIds(MAX_IDS);
    private final ScopeFields scope;
    private final PromptReader prompts;
    private boolean wantPrompt;
    private ApiEndpoint endpoint = ApiEndpoint.CHAT_COMPLETIONS;
    /** Whether what is in {@link #text} came from {@code prompt}, which {@code text} replaces. */
    private boolean fromPrompt;

    public RequestReader() {
        this(WINDOW_BYTES, MAX_TEXT_BYTES);
    }

    /** With bounds that a test can reach. */
    RequestReader(int windowBytes, int maxTextBytes) {
        scanner = new JsonScanner(windowBytes);
        text = new TextBuffer(maxTextBytes);
        scope = new ScopeFields(scanner);
        prompts = new PromptReader(scanner, text, ids);
    }

    /**
     * Reads a body without moving its reader index.
     *
     * @param body of any size
     * @param api tells where the prompt is
     * @param withPrompt false: nothing of it is looked for
     * @throws GatewayException not one JSON object, a wrong type of {@code model}, or {@code model} twice
     */
    public ReadRequest read(ByteBuf body, ApiEndpoint api, boolean withPrompt) {
        endpoint = api;
        wantPrompt = withPrompt;
        fromPrompt = false;
        text.recycle(withPrompt ? body.readableBytes() : 0);
        ids.recycle();
        scope.clear();
        try {
            scanner.begin(body);
            return readObject();
        } finally {
            scanner.release();
        }
    }

    private ReadRequest readObject() {
        String modelName = null;
        boolean modelSeen = false;
        boolean stream = false;
        scanner.enterObject();
        Member member = scanner.nextMember(MEMBERS);
        while (member != Member.END) {
            if (member == Member.MODEL) {
                if (modelSeen) {
                    throw JsonScanner.refusal("model: given twice (expected: once)");
                }
                modelSeen = true;
                modelName = model();
            } else if (member == Member.STREAM) {
                // Only true asks for a stream; what else it may be is the engine's to judge.
                stream = scanner.kind() == 't';
                scanner.skipValue();
            } else if (member == Member.OTHER || !wantPrompt) {
                scanner.skipValue();
            } else {
                promptMember(member);
            }
            member = scanner.nextMember(MEMBERS);
        }
        scanner.finish();
        return new ReadRequest(modelName, stream, prompt());
    }

    private @Nullable String model() {
        switch (scanner.kind()) {
            case '"' -> {
                String name = scanner.shortString(model);
                return name.isEmpty() ? null : name;
            }
            case 'n' -> {
                scanner.skipValue();
                return null;
            }
            default -> throw scanner.wrongType("model", "a string");
        }
    }

    private void promptMember(Member member) {
        switch (member) {
            case CACHE_SALT -> scope.read(Field.CACHE_SALT);
            case EXTRA_KEY -> scope.read(Field.EXTRA_KEY);
            case LORA_PATH -> scope.read(Field.LORA_PATH);
            case LORA_NAME -> scope.read(Field.LORA_NAME);
            case LORA_REQUEST -> scope.read(Field.LORA_REQUEST);
            case INSTRUCTIONS -> scope.read(Field.INSTRUCTIONS);
            case TOOLS -> scope.read(Field.TOOLS);
            case FUNCTIONS -> scope.read(Field.FUNCTIONS);
            default -> textMember(member);
        }
    }

    private void textMember(Member member) {
        boolean taken =
                switch (endpoint) {
                    case CHAT_COMPLETIONS -> conversation(member);
                    case MESSAGES -> member == Member.SYSTEM ? system() : conversation(member);
                    case RESPONSES -> member == Member.INPUT && messages();
                    case COMPLETIONS -> member == Member.PROMPT && values(Counted.BOTH);
                    case GENERATE -> generate(member);
                    case EMBEDDINGS, CLASSIFY -> member == Member.INPUT ? values(Counted.BOTH) : conversation(member);
                    case RERANK, RERANK_LEGACY -> member == Member.QUERY && values(Counted.TEXTS);
                    case SCORE -> (member == Member.QUERY || member == Member.TEXT_1) && values(Counted.BOTH);
                    case TOKENIZE, TOKENIZE_V1 ->
                        member == Member.PROMPT ? values(Counted.TEXTS) : conversation(member);
                    case DETOKENIZE, DETOKENIZE_V1 -> false;
                };
        if (!taken) {
            scanner.skipValue();
        }
    }

    private boolean conversation(Member member) {
        return member == Member.MESSAGES && messages();
    }

    private boolean messages() {
        prompts.messages();
        return true;
    }

    private boolean values(Counted counted) {
        prompts.values(counted);
        return true;
    }

    /** The system prompt is the first thing an engine renders; clients write it behind the messages as often as before them. */
    private boolean system() {
        int before = text.length;
        prompts.content();
        text.swap(0, before);
        return true;
    }

    private boolean generate(Member member) {
        switch (member) {
            case TEXT -> {
                int before = text.length;
                int continuations = text.continuations;
                prompts.values(Counted.TEXTS);
                if (fromPrompt) {
                    text.dropBefore(before, continuations);
                }
                fromPrompt = false;
            }
            case PROMPT -> {
                if (text.length > 0) {
                    return false;
                }
                prompts.values(Counted.TEXTS);
                fromPrompt = true;
            }
            case INPUT_IDS -> prompts.values(Counted.IDS);
            default -> {
                return false;
            }
        }
        return true;
    }

    private Prompt prompt() {
        if (!wantPrompt) {
            return Prompt.NONE;
        }
        boolean takesIds = endpoint == ApiEndpoint.GENERATE || endpoint == ApiEndpoint.COMPLETIONS;
        if (takesIds && text.length == 0) {
            prompts.idsAsText();
        }
        int codePoints = text.codePoints();
        int scopeLength = scope.insertInto(text);
        if (text.length == 0 && ids.count == 0) {
            return Prompt.NONE;
        }
        return new Prompt(text.bytes, scopeLength, text.length, codePoints, ids.ids, ids.count);
    }
}
