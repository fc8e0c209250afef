package io.kvgate.server.body;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.Hashing;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.Prompt;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What of each endpoint's body is routing text, and which token ids. Bodies are written with {@code '} for {@code "}. */
final class PromptTextTest {
    private final RequestReader reader = new RequestReader();
    private final RequestReader narrow = new RequestReader(2 * JsonInput.LOOKAHEAD, RequestReader.MAX_TEXT_BYTES);

    private static String json(String body) {
        return body.replace('\'', '"');
    }

    private Prompt prompt(ApiEndpoint endpoint, String body) {
        ByteBuf bytes = Unpooled.copiedBuffer(json(body), UTF_8);
        try {
            Prompt prompt = reader.read(bytes, endpoint, true).prompt();
            Prompt other = narrow.read(bytes, endpoint, true).prompt();
            assertThat(other.text()).isEqualTo(prompt.text());
            assertThat(other.scopeLength()).isEqualTo(prompt.scopeLength());
            assertThat(Arrays.copyOf(other.tokenIds(), other.tokenCount())).isEqualTo(ids(prompt));
            assertThat(prompt.codePoints())
                    .isEqualTo(prompt.text().codePointCount(0, prompt.text().length()));
            return prompt;
        } finally {
            bytes.release();
        }
    }

    private String text(ApiEndpoint endpoint, String body) {
        return prompt(endpoint, body).text();
    }

    private static int[] ids(Prompt prompt) {
        return Arrays.copyOf(prompt.tokenIds(), prompt.tokenCount());
    }

    private static String hash(String bytes) {
        return String.format("%016x", Hashing.xxh3_64().hashBytesToLong(bytes.getBytes(UTF_8)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "{'messages':[{'role':'user','content':'hi'}]}|hi",
                "{'messages':[{'role':'system','content':'be kind'},{'role':'user','content':'hi'}],'model':'m'}|be kind hi",
                "{'messages':[{'content':'a','role':'developer'},{'content':'b','role':'tool','name':'n'}]}|a b",
                "{'messages':[{'role':'user','content':[{'type':'text','text':'a'},{'type':'text','text':'b'}]}]}|a b",
                "{'messages':[{'role':'user','content':['a',{'type':'refusal','refusal':'no'},{'text':'b'}]}]}|a b",
                "{'messages':[{'role':'assistant','content':'said','reasoning_content':'thought'}]}|said thought",
                "{'messages':[{'reasoning_content':'thought','role':'assistant','content':'said'}]}|said thought",
                "{'messages':[{'content':'q'},{'reasoning_content':'t','content':['x','y']},{'content':'r'}]}|q x y t r",
                "{'messages':[{'reasoning_content':'thought','content':null},{'content':'b'}]}|thought b",
                "{'messages':[{'content':'a'},{'content':''},{'content':[]},{'content':'b'}]}|a b",
                "{'messages':[{'content':{'type':'text','text':'a'}},'b']}|a b",
                "{'m\\u0065ssages':[{'\\u0063ontent':'\\u0061\\u00e9\\ud83d\\ude00\\n'}]}|^a\u00e9\ud83d\ude00\n^",
            })
    void chat_content_isTheText(String body, String text) {
        assertThat(text(ApiEndpoint.CHAT_COMPLETIONS, body)).isEqualTo(text.replace("^", ""));
    }

    /** Vector X2. */
    @Test
    void chat_toolCallsAlone_contributeNothing() {
        assertThat(text(
                        ApiEndpoint.CHAT_COMPLETIONS,
                        "{'messages':[{'role':'user','content':'q'},{'role':'assistant','content':null,'tool_calls':[{'id':'c',"
                                + "'function':{'name':'f','arguments':'{}'}}]},{'role':'tool','content':'42'}]}"))
                .isEqualTo("q 42");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type':'image_url','image_url':{'detail':'low','url':'http://h/i.png'}}",
                "{'type':'image_url','image_url':'http://h/i.png'}",
                "{'type':'input_image','input_image':'http://h/i.png'}",
                "{'type':'image','image':{'url':'http://h/i.png'}}",
                "{'type':'input_audio','input_audio':{'data':'http://h/i.png','format':'wav'}}",
                "{'type':'video_url','video_url':{'url':'http://h/i.png'}}",
                "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'http://h/i.png'}}",
                "{'type':'file','file':{'file_id':'http://h/i.png'}}",
            })
    void chat_media_countByTheirIdentityInPlace(String part) {
        assertThat(text(
                        ApiEndpoint.CHAT_COMPLETIONS,
                        "{'messages':[{'content':[{'text':'a'}," + part + ",{'text':'b'}]}]}"))
                .isEqualTo("a " + hash("http://h/i.png") + " b");
    }

    @Test
    void chat_largeImage_countsByItsIdentity() {
        String data = "data:image/png;base64," + "iVBORw0KGgo/".repeat(20_000);
        assertThat(text(
                        ApiEndpoint.CHAT_COMPLETIONS,
                        "{'messages':[{'content':[{'image_url':{'url':'" + data + "'}}]}]}"))
                .isEqualTo(hash(data));
    }

    @Test
    void messages_system_comesFirstWhereverItStands() {
        String messages =
                "'messages':[{'role':'user','content':'a'},{'role':'user','content':[{'type':'text','text':'b'}]}]";
        String system = "'system':[{'type':'text','text':'be'},{'type':'text','text':'kind'}]";
        assertThat(text(ApiEndpoint.MESSAGES, "{" + system + "," + messages + "}"))
                .isEqualTo("be kind a b");
        assertThat(text(ApiEndpoint.MESSAGES, "{" + messages + "," + system + "}"))
                .isEqualTo("be kind a b");
        assertThat(text(ApiEndpoint.MESSAGES, "{" + messages + ",'system':'s'}"))
                .isEqualTo("s a b");
        assertThat(text(ApiEndpoint.MESSAGES, "{" + messages + ",'system':''}")).isEqualTo("a b");
        assertThat(text(ApiEndpoint.MESSAGES, "{" + system + "}")).isEqualTo("be kind");
    }

    @Test
    void messages_toolResult_countsAndToolUseDoesNot() {
        assertThat(
                        text(
                                ApiEndpoint.MESSAGES,
                                "{'messages':[{'role':'assistant','content':[{'type':'tool_use','input':{'text':'x'}}]},{'role':'user',"
                                        + "'content':[{'type':'tool_result','tool_use_id':'t','content':[{'type':'text','text':'r'}]}]}]}"))
                .isEqualTo("r");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "{'input':'hi'}|hi",
                "{'input':[{'role':'user','content':'a'},{'type':'message','content':[{'type':'input_text','text':'b'}]}]}|a b",
                "{'input':[{'type':'reasoning','content':[{'type':'reasoning_text','text':'r'}]},{'content':'q'}]}|r q",
                "{'input':[{'type':'function_call','arguments':'{}'},{'type':'function_call_output','output':'o'}]}|^^",
                "{'instructions':'i','messages':[{'content':'x'}]}|^^",
            })
    void responses_items_countByTheirContent(String body, String text) {
        assertThat(text(ApiEndpoint.RESPONSES, body)).isEqualTo(text.replace("^", ""));
    }

    @Test
    void completions_texts_areJoined() {
        assertThat(text(ApiEndpoint.COMPLETIONS, "{'prompt':'p'}")).isEqualTo("p");
        assertThat(text(ApiEndpoint.COMPLETIONS, "{'prompt':['p','','q']}"))
                .as("vector X4")
                .isEqualTo("p q");
    }

    @Test
    void completions_ids_areIds() {
        Prompt one = prompt(ApiEndpoint.COMPLETIONS, "{'prompt':[1, 0,4294967295]}");
        assertThat(one.hasText()).isFalse();
        assertThat(ids(one)).containsExactly(1, 0, -1);
        assertThat(ids(prompt(ApiEndpoint.COMPLETIONS, "{'prompt':[[1,2],[],[3]]}")))
                .containsExactly(1, 2, 3);
        assertThat(ids(prompt(ApiEndpoint.COMPLETIONS, "{'prompt':[1,-2,3.0,4294967296,5e0,null,true,6]}")))
                .containsExactly(1, 6);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "{'text':'t'}|t",
                "{'text':['t','u']}|t u",
                "{'text':'t','input_ids':[1,2]}|t",
                "{'input_ids':[1,2],'text':'t'}|t",
                "{'input_ids':[[1,2],[3]]}|1 2 3",
                "{'input_ids':[10,4294967295,0]}|10 4294967295 0",
                "{'prompt':'p','text':'t'}|t",
                "{'text':'t','prompt':'p'}|t",
                "{'prompt':'\u00e9p','text':'t\u00e9'}|t\u00e9",
                "{'prompt':'p','text':''}|p",
                "{'prompt':'p','text':null}|p",
                "{'text':7,'prompt':['p','q'],'input_ids':[1]}|p q",
                "{'text':[],'input_ids':[]}|^^",
            })
    void generate_text_isTheFirstOfTextPromptAndIds(String body, String text) {
        assertThat(text(ApiEndpoint.GENERATE, body)).isEqualTo(text.replace("^", ""));
    }

    @Test
    void generate_ids_areKept() {
        assertThat(ids(prompt(ApiEndpoint.GENERATE, "{'input_ids':[[1,2],[3]]}")))
                .as("vector X3")
                .containsExactly(1, 2, 3);
    }

    @Test
    void embeddings_idsHaveNoText() {
        for (ApiEndpoint endpoint : new ApiEndpoint[] {ApiEndpoint.EMBEDDINGS, ApiEndpoint.CLASSIFY}) {
            Prompt prompt = prompt(endpoint, "{'input':[1,2,3]}");
            assertThat(prompt.text()).as("vector X5").isEmpty();
            assertThat(ids(prompt)).containsExactly(1, 2, 3);
            assertThat(text(endpoint, "{'input':['a','b']}")).isEqualTo("a b");
            assertThat(text(endpoint, "{'messages':[{'content':'c'}]}")).isEqualTo("c");
        }
    }

    @Test
    void rerank_onlyTheQuery() {
        String body = "{'documents':['d','e'],'query':'q'}";
        assertThat(text(ApiEndpoint.RERANK, body)).as("vector X6").isEqualTo("q");
        assertThat(text(ApiEndpoint.RERANK_LEGACY, body)).isEqualTo("q");
    }

    @Test
    void otherEndpoints_textIsWhatTheirRequestsShare() {
        assertThat(text(ApiEndpoint.SCORE, "{'text_1':'a','text_2':['b','c']}")).isEqualTo("a");
        assertThat(text(ApiEndpoint.SCORE, "{'query':'q','items':['b']}")).isEqualTo("q");
        assertThat(text(ApiEndpoint.TOKENIZE, "{'prompt':'p'}")).isEqualTo("p");
        assertThat(text(ApiEndpoint.TOKENIZE_V1, "{'messages':[{'content':'c'}]}"))
                .isEqualTo("c");
        assertThat(prompt(ApiEndpoint.DETOKENIZE, "{'tokens':[1,2]}")).isSameAs(Prompt.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'messages':null}",
                "{'messages':5}",
                "{'messages':{'content':'x'}}",
                "{'messages':[1,null,true,[{'content':'x'}]]}",
                "{'messages':[{'content':5}]}",
                "{'messages':[{'content':[[{'text':'x'}]]}]}",
                "{'messages':[{'content':[{'text':{'text':'x'}},{'image_url':7},{'image_url':{'url':null}},{'image':''}]}]}",
                "{'messages':[{'reasoning_content':['x']}]}",
                "{'prompt':'x','input':'x','text':'x','query':'x','system':'x'}",
                "{'chat':{'messages':[{'content':'x'}]}}",
            })
    void chat_wrongTypesAndPlaces_contributeNothing(String body) {
        assertThat(prompt(ApiEndpoint.CHAT_COMPLETIONS, body)).isSameAs(Prompt.NONE);
    }

    @Test
    void text_beyondTheBound_isCutBetweenCodePoints() {
        RequestReader small = new RequestReader(1_000, 64);
        for (int lead = 0; lead < 8; lead++) {
            String whole = "x".repeat(lead) + "\u00e9\u20ac\ud83d\ude00".repeat(20);
            ByteBuf bytes = Unpooled.copiedBuffer(
                    json("{'messages':[{'content':'" + whole + "'},{'content':'more'}],'model':'m'}"), UTF_8);
            ReadRequest read = small.read(bytes, ApiEndpoint.CHAT_COMPLETIONS, true);
            assertThat(read.model()).isEqualTo("m");
            assertThat(read.prompt().length()).isBetween(48, 64 + TextBuffer.ROOM);
            assertThat(whole).startsWith(read.prompt().text());
            assertThat(read.prompt().codePoints())
                    .isEqualTo((int) read.prompt().text().codePoints().count());
            bytes.release();
        }
    }

    @Test
    void ids_beyondTheBound_areDropped() {
        StringBuilder body = new StringBuilder("{'input_ids':[0");
        IntStream.range(1, RequestReader.MAX_IDS + 10)
                .forEach(i -> body.append(',').append(i));
        ByteBuf bytes = Unpooled.copiedBuffer(json(body.append("]}").toString()), UTF_8);
        Prompt prompt = reader.read(bytes, ApiEndpoint.GENERATE, true).prompt();
        bytes.release();
        assertThat(prompt.tokenCount()).isEqualTo(RequestReader.MAX_IDS);
        assertThat(prompt.tokenIds()[RequestReader.MAX_IDS - 1]).isEqualTo(RequestReader.MAX_IDS - 1);
        assertThat(prompt.text()).startsWith("0 1 2 3 ");
        assertThat(prompt.length())
                .isBetween(RequestReader.MAX_TEXT_BYTES - 16, RequestReader.MAX_TEXT_BYTES + TextBuffer.ROOM);
    }

    @Test
    void read_afterALargeBody_givesItsArraysUp() {
        ByteBuf large = Unpooled.copiedBuffer(json("{'prompt':'" + "x".repeat(1_000_000) + "'}"), UTF_8);
        ByteBuf small = Unpooled.copiedBuffer(json("{'prompt':'x'}"), UTF_8);
        assertThat(reader.read(large, ApiEndpoint.COMPLETIONS, true).prompt().bytes())
                .hasSizeBetween(1_000_000, 2_100_000);
        for (int i = 0; i < 200; i++) {
            reader.read(small, ApiEndpoint.COMPLETIONS, true);
        }
        assertThat(reader.read(small, ApiEndpoint.COMPLETIONS, true).prompt().bytes())
                .hasSizeLessThan(20_000);
        large.release();
        small.release();
    }
}
