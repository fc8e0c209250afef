package io.kvgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real signals to a real process. */
@Timeout(60)
final class StopSignalsTest {
    private final List<Process> processes = new ArrayList<>();

    private record Running(Process process, BufferedReader output) {}

    @AfterEach
    void endProcesses() {
        processes.forEach(Process::destroyForcibly);
    }

    private Running start(String how) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process process = new ProcessBuilder(java, "-Xmx64m", "-cp", classPath, SignalledProcess.class.getName(), how)
                .redirectErrorStream(true)
                .start();
        processes.add(process);
        BufferedReader output = process.inputReader();
        readUntil(output, "listening on");
        return new Running(process, output);
    }

    private static void readUntil(BufferedReader output, String text) throws IOException {
        String line = output.readLine();
        while (line != null && !line.contains(text)) {
            line = output.readLine();
        }
        assertThat(line).as("a line with \"%s\"", text).isNotNull();
    }

    private static void signal(Process process, String name) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    @Test
    void term_once_closesAndEndsWith0() throws Exception {
        Running running = start("graceful");
        signal(running.process(), "TERM");
        readUntil(running.output(), "closing");
        readUntil(running.output(), "ended; 0 log lines dropped");
        assertThat(running.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(running.process().exitValue()).isZero();
    }

    @Test
    void term_twice_endsAtOnce() throws Exception {
        Running running = start("stuck");
        signal(running.process(), "TERM");
        readUntil(running.output(), "closing");
        // Not INT: a process that was started in the background may have inherited it as ignored.
        signal(running.process(), "TERM");
        assertThat(running.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(running.process().exitValue()).isEqualTo(143);
    }
}
