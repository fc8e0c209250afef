package io.kvgate.server.routing;

import io.kvgate.policies.Candidates;
import io.kvgate.server.upstream.UpstreamClient;
import io.netty.channel.EventLoop;

/**
 * What belongs to one event loop and is used again by each of its requests.
 *
 * @param loop the event loop
 * @param upstream its connections to workers
 * @param candidates its scratch list of selectable workers
 */
public record LoopContext(EventLoop loop, UpstreamClient upstream, Candidates candidates) {
    public LoopContext(EventLoop loop, UpstreamClient upstream) {
        this(loop, upstream, new Candidates());
    }
}
