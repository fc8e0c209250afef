package io.kvgate.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DocumentSectionTest {
    private final DocumentSection section = new DocumentSection("x");

    @Test
    void replacedIn_documentWithTheSection_changesNothingElse() {
        String document = "before\n<!-- begin: x -->\nold\n<!-- end: x -->\nafter\n";

        assertThat(section.replacedIn(document, "new\n"))
                .isEqualTo("before\n<!-- begin: x -->\nnew\n<!-- end: x -->\nafter\n");
    }

    @Test
    void replacedIn_documentWithoutIt_addsItAtTheEnd() {
        assertThat(section.replacedIn("before", "new\n"))
                .isEqualTo("before\n<!-- begin: x -->\nnew\n<!-- end: x -->\n");
    }
}
