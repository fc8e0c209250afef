package io.kvgate.server.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvgate.core.error.GatewayException;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A client that keeps what it is sent, and fails the test when it is called in a wrong order. */
final class FakeClient implements Exchange.Client {
    int status;
    String reason = "";
    Exchange.@Nullable BodyEnd bodyEnd;
    boolean ended;
    boolean brokenOff;

    @Nullable
    GatewayException error;

    boolean writable = true;
    int flushes;
    private @Nullable HttpHeaders headers;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void begin(int code, String phrase, HttpHeaders sent, Exchange.BodyEnd end) {
        assertThat(over()).isFalse();
        assertThat(bodyEnd).isNull();
        status = code;
        reason = phrase;
        headers = sent;
        bodyEnd = end;
    }

    @Override
    public void write(ByteBuf buf) {
        assertThat(bodyEnd).isNotNull();
        assertThat(over()).isFalse();
        take(buf);
    }

    private void take(ByteBuf buf) {
        byte[] copy = new byte[buf.readableBytes()];
        buf.readBytes(copy);
        bytes.writeBytes(copy);
        buf.release();
    }

    @Override
    public void flush() {
        flushes++;
    }

    @Override
    public void end() {
        assertThat(bodyEnd).isNotNull();
        assertThat(over()).isFalse();
        ended = true;
    }

    @Override
    public void fail(GatewayException cause) {
        assertThat(bodyEnd).isNull();
        assertThat(over()).isFalse();
        error = cause;
    }

    @Override
    public void breakOff(GatewayException cause, ByteBuf lastWords) {
        assertThat(bodyEnd).isNotNull();
        assertThat(over()).isFalse();
        brokenOff = true;
        error = cause;
        take(lastWords);
    }

    @Override
    public boolean writable() {
        return writable;
    }

    boolean over() {
        return ended || error != null;
    }

    HttpHeaders headers() {
        return Objects.requireNonNull(headers);
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }
}
