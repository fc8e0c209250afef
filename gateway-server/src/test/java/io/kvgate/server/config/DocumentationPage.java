package io.kvgate.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A page of {@code docs/} that is generated. With {@code -Dkvgate.docs.write=true} the test writes it, else it compares. */
public final class DocumentationPage {
    private DocumentationPage() {}

    public static void check(String name, String text) throws IOException {
        Path page =
                Path.of(System.getProperty("basedir", ".")).resolve("../docs").resolve(name);
        if (Boolean.getBoolean("kvgate.docs.write")) {
            Files.writeString(page, text);
        }
        assertThat(page).exists();
        assertThat(Files.readString(page))
                .as("docs/%s is out of date; see its second line for the command that writes it", name)
                .isEqualTo(text);
    }

    /** The line that tells how to write the page again. */
    public static String generatedBy(Class<?> test) {
        return "<!-- Generated: mvn -pl gateway-server -am test -Dtest=" + test.getSimpleName()
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dkvgate.docs.write=true -->\n";
    }

    /** Text as a cell of a table. */
    public static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
