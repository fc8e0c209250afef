package io.kvgate.server.e2e.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** TCP sockets of this machine as the Linux kernel lists them. */
public final class KernelSockets {
    /** The peer has closed, this side has not. */
    public static final String CLOSE_WAIT = "08";

    public static final String ESTABLISHED = "01";

    private KernelSockets() {}

    /** How many sockets in this state have this remote port; 0 where the kernel does not tell. */
    public static long count(int remotePort, String state) throws IOException {
        long count = 0;
        String suffix = String.format(Locale.ROOT, ":%04X", remotePort);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            Path path = Path.of(table);
            if (Files.isReadable(path)) {
                for (String line : Files.readAllLines(path)) {
                    String[] fields = line.trim().split("\\s+");
                    if (fields.length > 3 && fields[2].endsWith(suffix) && fields[3].equals(state)) {
                        count++;
                    }
                }
            }
        }
        return count;
    }
}
