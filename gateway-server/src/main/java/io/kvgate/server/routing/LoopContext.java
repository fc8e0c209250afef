package io.kvgate.server.routing;

import io.kvgate.policies.Candidates;
import io.kvgate.server.body.RequestReader;
import io.kvgate.server.upstream.UpstreamClient;
import io.netty.channel.EventLoop;

/**
 * What belongs to one event loop and is used again by each of its requests.
 *
 * @param loop the event loop
 * @param upstream its connections to workers
 * @param candidates its scratch list of selectable workers
 * @param reader reads bodies of up to {@link #MAX_READ_BYTES}
 */
public record LoopContext(EventLoop loop, UpstreamClient upstream, Candidates candidates, RequestReader reader) {
    /** Larger bodies would hold their event loop up for more than about a millisecond; they are read elsewhere. */
    public static final int MAX_READ_BYTES = 1 << 20;

    public LoopContext(EventLoop loop, UpstreamClient upstream) {
        this(loop, upstream, new Candidates(), new RequestReader());
    }
}
