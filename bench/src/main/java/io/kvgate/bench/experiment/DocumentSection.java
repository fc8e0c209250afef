package io.kvgate.bench.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A part of a document that a command writes, between two comments that name it. */
public record DocumentSection(String name) {
    private String begin() {
        return "<!-- begin: " + name + " -->\n";
    }

    private String end() {
        return "<!-- end: " + name + " -->\n";
    }

    /** The document with this text in the section's place; the section is added at the end if there is none. */
    String replacedIn(String document, String text) {
        String section = begin() + text + end();
        int from = document.indexOf(begin());
        int to = document.indexOf(end());
        if (from < 0 || to < from) {
            return document + (document.isEmpty() || document.endsWith("\n") ? "" : "\n") + section;
        }
        return document.substring(0, from) + section + document.substring(to + end().length());
    }

    /** Replaces the section in the file, which is made if there is none. */
    public void write(Path file, String text) throws IOException {
        String before = Files.exists(file) ? Files.readString(file) : "";
        Files.writeString(file, replacedIn(before, text));
    }
}
