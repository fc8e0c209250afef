package io.kvgate.server.http;

import io.kvgate.core.error.ErrorCode;
import io.kvgate.core.error.GatewayException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a request's body as the slices that arrived, up to a limit and within the shared budget. A body that comes in very many
 * small pieces is gathered, so that a byte never costs an object.
 *
 * <p>Threading: confined to one event loop. Whoever takes the body with {@link #take} releases it; the budget is given back by
 * {@link #close}, once the body is not needed any more.
 */
final class BodyCollector {
    private static final int PLAIN_SLICES = 16;
    private static final int SMALL_BYTES = 2_048;
    private static final int GATHERED_BYTES = 65_536;

    private final long maxBytes;
    private final BodyBudget budget;
    private List<ByteBuf> slices = new ArrayList<>(2);
    /** The last of the slices, if it is still being filled with small ones. */
    private @Nullable ByteBuf gathered;

    private long bytes;
    private boolean closed;

    BodyCollector(long maxBytes, BodyBudget budget) {
        this.maxBytes = maxBytes;
        this.budget = budget;
    }

    long bytes() {
        return bytes;
    }

    /** Takes the slice over. @return the refusal, or null */
    @Nullable
    GatewayException add(ByteBuf slice) {
        int length = slice.readableBytes();
        if (length == 0 || closed) {
            slice.release();
            return null;
        }
        if (bytes + length > maxBytes) {
            slice.release();
            return tooLarge(maxBytes);
        }
        if (!budget.tryTake(length)) {
            slice.release();
            return new GatewayException(
                    ErrorCode.OVERLOADED,
                    "the memory for request bodies is used up (limit: --max-buffered-body-bytes)",
                    Duration.ofSeconds(1));
        }
        bytes += length;
        keep(slice, length);
        return null;
    }

    /** As it is, unless there are many small ones already: then their bytes are gathered, as an object each would cost more. */
    private void keep(ByteBuf slice, int length) {
        if (slices.size() < PLAIN_SLICES || length >= SMALL_BYTES) {
            slices.add(slice);
            gathered = null;
            return;
        }
        if (gathered == null || gathered.maxWritableBytes() < length) {
            gathered = slice.alloc().buffer(SMALL_BYTES, GATHERED_BYTES);
            slices.add(gathered);
        }
        gathered.writeBytes(slice);
        slice.release();
    }

    static GatewayException tooLarge(long maxBytes) {
        return new GatewayException(
                ErrorCode.PAYLOAD_TOO_LARGE, "body: larger than " + maxBytes + " bytes (limit: --max-payload-size)");
    }

    /** The whole body; the caller owns it. */
    ByteBuf take() {
        List<ByteBuf> taken = slices;
        slices = List.of();
        gathered = null;
        if (taken.isEmpty()) {
            return Unpooled.EMPTY_BUFFER;
        }
        if (taken.size() == 1) {
            return taken.get(0);
        }
        CompositeByteBuf whole = Unpooled.compositeBuffer(Integer.MAX_VALUE);
        return whole.addComponents(true, taken);
    }

    /** Releases what was not taken and gives the budget back. Later calls do nothing. */
    void close() {
        if (!closed) {
            closed = true;
            slices.forEach(ByteBuf::release);
            slices = List.of();
            budget.giveBack(bytes);
        }
    }
}
