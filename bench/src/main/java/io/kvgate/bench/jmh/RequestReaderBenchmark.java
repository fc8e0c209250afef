package io.kvgate.bench.jmh;

import io.kvgate.bench.workload.ChatBody;
import io.kvgate.bench.workload.ChatText;
import io.kvgate.core.random.SplitMixRandom;
import io.kvgate.core.request.ApiEndpoint;
import io.kvgate.server.body.ReadRequest;
import io.kvgate.server.body.RequestReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One pass over a chat's body: a system prompt and then user and assistant in turn, with line breaks and quotation marks, in direct
 * memory as it comes from a socket; large ones in slices of 16 KB.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseParallelGC"})
@State(Scope.Thread)
public class RequestReaderBenchmark {
    private static final int SLICE_BYTES = 16_384;
    private static final int MESSAGES = 7;
    private static final long SEED = 9;

    @Param({"2", "10", "220"})
    int kilobytes;

    @Param({"ENGLISH", "MIXED"})
    ChatText.Script script = ChatText.Script.ENGLISH;

    private final RequestReader reader = new RequestReader();
    private ByteBuf body = Unpooled.EMPTY_BUFFER;

    @Setup(Level.Trial)
    public void start() {
        byte[] json = json(kilobytes * 1_000);
        List<ByteBuf> slices = new ArrayList<>();
        for (int at = 0; at < json.length; at += SLICE_BYTES) {
            int length = Math.min(SLICE_BYTES, json.length - at);
            slices.add(Unpooled.directBuffer(length).writeBytes(json, at, length));
        }
        body = Unpooled.wrappedBuffer(slices.size(), slices.toArray(ByteBuf[]::new));
    }

    @TearDown(Level.Trial)
    public void stop() {
        body.release();
    }

    /** Model and stream alone, as for policies that do not look at prompts. */
    @Benchmark
    public ReadRequest withoutPrompt(ThreadCost cost) {
        cost.called();
        return reader.read(body, ApiEndpoint.CHAT_COMPLETIONS, false);
    }

    @Benchmark
    public ReadRequest withPrompt(ThreadCost cost) {
        cost.called();
        return reader.read(body, ApiEndpoint.CHAT_COMPLETIONS, true);
    }

    /** A body of about that size: the texts are shortened until it fits. */
    private byte[] json(int bytes) {
        int characters = bytes;
        byte[] json = body(characters);
        while (json.length > bytes) {
            characters -= Math.max(1, (json.length - bytes) / 3);
            json = body(characters);
        }
        return json;
    }

    private byte[] body(int characters) {
        ChatText text = new ChatText(new SplitMixRandom(SEED), script);
        List<ChatBody.Message> messages = new ArrayList<>();
        messages.add(new ChatBody.Message("system", text.characters(characters / 2)));
        for (int i = 1; i < MESSAGES; i++) {
            String role = i % 2 == 1 ? "user" : "assistant";
            messages.add(new ChatBody.Message(role, text.characters(characters / 2 / (MESSAGES - 1))));
        }
        return ChatBody.streamed("llama-3-8b", 256, messages);
    }
}
