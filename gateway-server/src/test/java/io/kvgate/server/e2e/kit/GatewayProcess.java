package io.kvgate.server.e2e.kit;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The gateway as a process of its own, started with a command line.
 *
 * <p>Threading: the test's thread; the output is read by threads of its own.
 */
public final class GatewayProcess implements AutoCloseable {
    private static final Pattern PORT =
            Pattern.compile("listening on http://[^\\s,]*:(\\d+).*http://[^\\s,]*:(\\d+)/metrics");

    private final Process process;
    private final List<String> out = new CopyOnWriteArrayList<>();
    private final List<String> err = new CopyOnWriteArrayList<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private final List<Thread> readers = new ArrayList<>();
    private volatile int port;
    private volatile int metricsPort;

    private GatewayProcess(List<String> jvmFlags, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(jvmFlags);
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add("io.kvgate.server.GatewayMain");
        command.addAll(arguments);
        process = new ProcessBuilder(command).start();
        read(process.inputReader(StandardCharsets.UTF_8), out);
        read(process.errorReader(StandardCharsets.UTF_8), err);
    }

    public static GatewayProcess start(String... arguments) throws IOException {
        return new GatewayProcess(List.of("-Xmx256m"), List.of(arguments));
    }

    /** With flags of the JVM before the arguments. */
    public static GatewayProcess start(List<String> jvmFlags, String... arguments) throws IOException {
        return new GatewayProcess(jvmFlags, List.of(arguments));
    }

    private void read(BufferedReader reader, List<String> lines) {
        Thread thread = new Thread(
                () -> {
                    try (reader) {
                        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                            lines.add(line);
                            Matcher matcher = PORT.matcher(line);
                            if (started.getCount() > 0 && matcher.find()) {
                                port = Integer.parseInt(matcher.group(1));
                                metricsPort = Integer.parseInt(matcher.group(2));
                                started.countDown();
                            }
                        }
                    } catch (IOException e) {
                        lines.add("output: " + e);
                    }
                },
                "kit-gateway-output");
        thread.setDaemon(true);
        thread.start();
        readers.add(thread);
    }

    /** Waits for the line that tells the ports. */
    public GatewayProcess awaitStarted() throws InterruptedException {
        if (!started.await(30, TimeUnit.SECONDS)) {
            throw new AssertionError("not started; out: " + out + ", err: " + err);
        }
        return this;
    }

    /** Waits for the end, and returns the exit code. */
    public int awaitExit(Duration limit) throws InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("still running; out: " + out + ", err: " + err);
        }
        for (Thread reader : readers) {
            reader.join(2_000);
        }
        return process.exitValue();
    }

    public int port() {
        return port;
    }

    public int metricsPort() {
        return metricsPort;
    }

    /** Lines of standard output so far. */
    public List<String> out() {
        return List.copyOf(out);
    }

    /** Lines of standard error so far. */
    public List<String> err() {
        return List.copyOf(err);
    }

    /** Sends SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
    }
}
