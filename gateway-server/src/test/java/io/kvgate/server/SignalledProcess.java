package io.kvgate.server;

import io.kvgate.server.config.GatewayConfig;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** A process around {@link GatewayMain} with a gateway that waits; its close never ends if the first argument is {@code stuck}. */
public final class SignalledProcess {
    private SignalledProcess() {}

    public static void main(String[] arguments) {
        boolean stuck = arguments[0].equals("stuck");
        PrintStream out = System.out;
        CountDownLatch closed = new CountDownLatch(1);
        GatewayMain.Starter starter = (GatewayConfig config) -> new GatewayMain.RunningGateway() {
            @Override
            public int port() {
                return 1;
            }

            @Override
            public int metricsPort() {
                return 2;
            }

            @Override
            public void awaitShutdown() throws InterruptedException {
                closed.await();
            }

            @Override
            public void close() {
                out.println("closing");
                out.flush();
                if (!stuck) {
                    closed.countDown();
                }
            }
        };
        System.exit(new GatewayMain(Set.of("cache_aware"), starter, out, System.err).run(List.of()));
    }
}
