package io.kvgate.server.observability;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.UncheckedIOException;
import net.logstash.logback.argument.StructuredArgument;
import org.jspecify.annotations.Nullable;

/**
 * An {@link AccessRecord} as a log event's argument: {@code key=value} text, or fields of the event's JSON object. What is not
 * known is left out.
 *
 * <p>Threading: immutable; made on the event loop, formatted by the log's own thread.
 */
final class AccessLine implements StructuredArgument {
    private static final long NANOS_PER_MICRO = 1_000;

    private final AccessRecord access;

    /** Where the fields go. */
    private interface Sink {
        void text(String key, @Nullable String value);

        void number(String key, long value);

        void millis(String key, long nanos);

        void flag(String key, boolean value);
    }

    AccessLine(AccessRecord access) {
        this.access = access;
    }

    private void fields(Sink sink) {
        sink.text("request_id", access.requestId());
        sink.text("remote", access.remote());
        sink.text("method", access.method());
        sink.text("path", access.path());
        sink.number("status", access.status());
        sink.text("outcome", access.outcome());
        sink.text("cause", access.cause());
        sink.text("model", access.model());
        sink.flag("stream", access.stream());
        sink.text("worker", access.workerId());
        sink.text("policy", access.policy());
        sink.text("reason", access.reason());
        sink.number("attempts", access.attempts());
        sink.millis("duration_ms", access.durationNanos());
        sink.millis("first_byte_ms", access.firstByteNanos());
        sink.number("request_bytes", access.requestBytes());
        sink.number("response_bytes", access.responseBytes());
        sink.number("prompt_tokens", access.promptTokens());
        sink.number("completion_tokens", access.completionTokens());
        sink.number("cached_tokens", access.cachedTokens());
        sink.text("detail", access.detail());
    }

    @Override
    public void writeTo(JsonGenerator generator) throws IOException {
        try {
            fields(new JsonSink(generator));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public String toString() {
        TextSink sink = new TextSink();
        fields(sink);
        return sink.line.toString();
    }

    private static final class TextSink implements Sink {
        final StringBuilder line = new StringBuilder(384);

        @Override
        public void text(String key, @Nullable String value) {
            if (value != null && !value.isEmpty()) {
                LogText.appendValue(key(key), value);
            }
        }

        @Override
        public void number(String key, long value) {
            if (value >= 0) {
                key(key).append(value);
            }
        }

        @Override
        public void millis(String key, long nanos) {
            if (nanos >= 0) {
                long micros = nanos / NANOS_PER_MICRO;
                long fraction = micros % 1_000;
                key(key).append(micros / 1_000)
                        .append('.')
                        .append(fraction < 100 ? "0" : "")
                        .append(fraction < 10 ? "0" : "")
                        .append(fraction);
            }
        }

        @Override
        public void flag(String key, boolean value) {
            key(key).append(value);
        }

        private StringBuilder key(String key) {
            return line.append(line.isEmpty() ? "" : " ").append(key).append('=');
        }
    }

    /** Adds to the object that the encoder has open. */
    private static final class JsonSink implements Sink {
        private final JsonGenerator generator;

        JsonSink(JsonGenerator generator) {
            this.generator = generator;
        }

        @Override
        public void text(String key, @Nullable String value) {
            if (value != null && !value.isEmpty()) {
                write(() -> generator.writeStringField(key, LogText.bounded(value)));
            }
        }

        @Override
        public void number(String key, long value) {
            if (value >= 0) {
                write(() -> generator.writeNumberField(key, value));
            }
        }

        @Override
        public void millis(String key, long nanos) {
            if (nanos >= 0) {
                write(() -> generator.writeNumberField(key, Math.floorDiv(nanos, NANOS_PER_MICRO) / 1_000.0));
            }
        }

        @Override
        public void flag(String key, boolean value) {
            write(() -> generator.writeBooleanField(key, value));
        }

        private interface Write {
            void run() throws IOException;
        }

        private static void write(Write write) {
            try {
                write.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
