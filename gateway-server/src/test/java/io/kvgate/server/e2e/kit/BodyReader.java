package io.kvgate.server.e2e.kit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads one body, de-chunked, strictly: whatever is wrong with the framing is told by {@link #end()}.
 *
 * <p>Threading: one thread at a time.
 */
public final class BodyReader {
    private enum Framing {
        NONE,
        LENGTH,
        CHUNKED,
        CLOSE
    }

    private static final Pattern CHUNK_SIZE = Pattern.compile("[0-9a-fA-F]{1,8}");

    private final WireReader in;
    private final Framing framing;
    private long remaining;
    private boolean inChunk;
    private @Nullable BodyEnd end;

    private BodyReader(WireReader in, Framing framing, long length) {
        this.in = in;
        this.framing = framing;
        this.remaining = length;
        if (framing == Framing.NONE || (framing == Framing.LENGTH && length == 0)) {
            end = BodyEnd.COMPLETE;
        }
    }

    static BodyReader ofRequest(WireReader in, HeaderList headers) throws MalformedMessageException {
        return headers.contains("transfer-encoding") || headers.contains("content-length")
                ? framed(in, headers)
                : new BodyReader(in, Framing.NONE, 0);
    }

    static BodyReader ofResponse(WireReader in, int status, boolean head, HeaderList headers)
            throws MalformedMessageException {
        if (head || status == 204 || status == 304 || status < 200) {
            return new BodyReader(in, Framing.NONE, 0);
        }
        return headers.contains("transfer-encoding") || headers.contains("content-length")
                ? framed(in, headers)
                : new BodyReader(in, Framing.CLOSE, 0);
    }

    private static BodyReader framed(WireReader in, HeaderList headers) throws MalformedMessageException {
        if (headers.says("transfer-encoding", "chunked")) {
            if (headers.contains("content-length")
                    || headers.all("transfer-encoding").size() != 1) {
                throw new MalformedMessageException("ambiguous framing: " + headers);
            }
            return new BodyReader(in, Framing.CHUNKED, 0);
        }
        if (headers.all("content-length").size() != 1) {
            throw new MalformedMessageException("ambiguous length: " + headers);
        }
        String length = headers.all("content-length").get(0);
        return new BodyReader(in, Framing.LENGTH, Long.parseLong(length));
    }

    /** The next bytes as they arrive, never empty; null when the body is over. Blocks up to the socket's time limit. */
    public byte @Nullable [] next() throws IOException {
        if (end != null) {
            return null;
        }
        try {
            byte[] piece =
                    switch (framing) {
                        case NONE -> null;
                        case LENGTH -> nextOfLength();
                        case CHUNKED -> nextOfChunks();
                        case CLOSE -> in.readSome(Integer.MAX_VALUE);
                    };
            if (piece == null && end == null) {
                end = framing == Framing.CLOSE ? BodyEnd.CLOSED : BodyEnd.TRUNCATED;
            }
            return piece;
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (MalformedMessageException e) {
            end = BodyEnd.MALFORMED;
            return null;
        } catch (IOException e) {
            end = BodyEnd.RESET;
            return null;
        }
    }

    private byte @Nullable [] nextOfLength() throws IOException {
        byte[] piece = in.readSome(remaining);
        if (piece != null) {
            remaining -= piece.length;
            if (remaining == 0) {
                end = BodyEnd.COMPLETE;
            }
        }
        return piece;
    }

    private byte @Nullable [] nextOfChunks() throws IOException {
        if (!inChunk) {
            String line = in.readLine();
            if (line == null) {
                return null;
            }
            if (!CHUNK_SIZE.matcher(line).matches()) {
                throw new MalformedMessageException("chunk size: " + line);
            }
            remaining = Long.parseLong(line, 16);
            if (remaining == 0) {
                readTrailers();
                return null;
            }
            inChunk = true;
        }
        byte[] piece = in.readSome(remaining);
        if (piece == null) {
            return null;
        }
        remaining -= piece.length;
        if (remaining == 0) {
            inChunk = false;
            String line = in.readLine();
            if (line != null && !line.isEmpty()) {
                throw new MalformedMessageException("chunk runs on: " + line);
            }
        }
        return piece;
    }

    private void readTrailers() throws IOException {
        String line = in.readLine();
        while (line != null && !line.isEmpty()) {
            line = in.readLine();
        }
        if (line != null) {
            end = BodyEnd.COMPLETE;
        }
    }

    /** All that is left. */
    public byte[] rest() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] piece = next(); piece != null; piece = next()) {
            all.write(piece, 0, piece.length);
        }
        return all.toByteArray();
    }

    /** How the body ended; null while it has not. */
    public @Nullable BodyEnd end() {
        return end;
    }
}
