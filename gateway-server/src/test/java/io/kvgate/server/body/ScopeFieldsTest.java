package io.kvgate.server.body;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.Hashing;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.core.request.Prompt;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands in front of a prompt's text. Bodies are written with {@code '} for {@code "}. */
final class ScopeFieldsTest {
    private final RequestReader reader = new RequestReader();

    private Prompt prompt(String members) {
        String body = "{" + members + (members.isEmpty() ? "" : ",") + "'messages':[{'content':'hi'}]}";
        ByteBuf bytes = Unpooled.copiedBuffer(body.replace('\'', '"'), UTF_8);
        try {
            Prompt prompt =
                    reader.read(bytes, ApiEndpoint.CHAT_COMPLETIONS, true).prompt();
            assertThat(prompt.text()).isEqualTo("hi");
            assertThat(prompt.codePoints()).isEqualTo(2);
            return prompt;
        } finally {
            bytes.release();
        }
    }

    private String scope(String members) {
        Prompt prompt = prompt(members);
        return new String(prompt.bytes(), 0, prompt.scopeLength(), UTF_8);
    }

    private static String hash(String json) {
        return String.format(
                "%016x",
                Hashing.xxh3_64().hashBytesToLong(json.replace('\'', '"').getBytes(UTF_8)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "'model':'m'",
                "'cache_salt':null",
                "'cache_salt':''",
                "'tools':null",
                "'tools':[ ]",
                "'tools':{}",
                "'lora_path':[]",
                "'tool_choice':'auto'",
                "'metadata':{'cache_salt':'x'}",
            })
    void scope_nothingThatKeepsApart_isEmpty(String members) {
        assertThat(scope(members)).isEmpty();
    }

    @Test
    void scope_strings_standForThemselves() {
        assertThat(scope("'cache_salt':'abc'")).isEqualTo("\u0001s3:abc\u0002");
        assertThat(scope("'extra_key':'\u00e9'")).isEqualTo("\u0001k2:\u00e9\u0002");
        assertThat(scope("'lora_path':'a','lora_name':'b','lora_request':'c'")).isEqualTo("\u0001p1:an1:br1:c\u0002");
        assertThat(scope("'instructions':'be kind'")).isEqualTo("\u0001i7:be kind\u0002");
    }

    @Test
    void scope_longStringsAndOtherValues_areHashed() {
        String salt = "s".repeat(ScopeFields.LITERAL_BYTES + 40);
        assertThat(scope("'cache_salt':'" + salt + "'")).isEqualTo("\u0001S" + hash(salt) + "\u0002");
        assertThat(scope("'extra_key':5")).isEqualTo("\u0001K" + hash("5") + "\u0002");
        assertThat(scope("'extra_key':false")).isEqualTo("\u0001K" + hash("false") + "\u0002");
        assertThat(scope("'lora_path':['a',null]")).isEqualTo("\u0001P" + hash("['a',null]") + "\u0002");
        assertThat(scope("'tools':[{'type':'function'}]"))
                .isEqualTo("\u0001T" + hash("[{'type':'function'}]") + "\u0002");
        assertThat(scope("'functions':[1]")).isEqualTo("\u0001F" + hash("[1]") + "\u0002");
    }

    @Test
    void scope_lengthsAroundTheLiteralBound_areAllDifferent() {
        List<String> scopes = new ArrayList<>();
        for (int length = 1; length < 2 * ScopeFields.LITERAL_BYTES; length++) {
            scopes.add(scope("'cache_salt':'" + "s".repeat(length) + "'"));
        }
        assertThat(scopes).doesNotHaveDuplicates();
    }

    @Test
    void scope_whiteSpaceBetweenTokens_doesNotMatter() {
        String tight = scope("'tools':[{'a':[1,2.5e3,{}],'b':' c  d '},null,true]");
        assertThat(scope("'tools' : [ { 'a' :\n\t[ 1 ,\r\n2.5e3 , { } ] ,        'b':' c  d ' }, null, true ]   "))
                .isEqualTo(tight);
        assertThat(scope("'tools':[{'a':[1,2.5e3,{}],'b':'c d'},null,true]")).isNotEqualTo(tight);
    }

    @Test
    void scope_orderOfMembers_doesNotMatter() {
        assertThat(scope("'tools':[1],'cache_salt':'x','lora_path':'l'"))
                .isEqualTo(scope("'lora_path':'l','cache_salt':'x','tools':[1]"));
    }

    @Test
    void scope_behindTheText_isPutInFront() {
        ByteBuf bytes = Unpooled.copiedBuffer("{\"prompt\":\"t\u00e9xt\",\"cache_salt\":\"x\"}", UTF_8);
        Prompt prompt = reader.read(bytes, ApiEndpoint.COMPLETIONS, true).prompt();
        assertThat(new String(prompt.bytes(), 0, prompt.length(), UTF_8)).isEqualTo("\u0001s1:x\u0002t\u00e9xt");
        assertThat(prompt.text()).isEqualTo("t\u00e9xt");
        assertThat(prompt.codePoints()).isEqualTo(4);
        bytes.release();
    }

    @Test
    void scope_givenTwice_theLastHolds() {
        assertThat(scope("'cache_salt':'x','cache_salt':'y'")).isEqualTo(scope("'cache_salt':'y'"));
        assertThat(scope("'cache_salt':'x','cache_salt':null")).isEmpty();
    }

    @Test
    void scope_differentFields_areNeverPrefixesOfEachOther() {
        List<String> scopes = new ArrayList<>();
        String[] values = {
            "'x'", "'x1:y'", "'1'", "'1:'", "'\\u0002'", "'xk1:x'", "7", "[1]", "'" + "z".repeat(300) + "'"
        };
        for (String salt : values) {
            scopes.add(scope("'cache_salt':" + salt));
            scopes.add(scope("'extra_key':" + salt));
            for (String key : values) {
                scopes.add(scope("'cache_salt':" + salt + ",'extra_key':" + key));
            }
        }
        assertThat(scopes).doesNotHaveDuplicates();
        for (String one : scopes) {
            assertThat(scopes).filteredOn(other -> other.startsWith(one)).containsExactly(one);
        }
    }
}
