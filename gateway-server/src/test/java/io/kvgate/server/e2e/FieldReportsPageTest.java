package io.kvgate.server.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** The page of field reports names tests that exist, and each report once. */
final class FieldReportsPageTest {
    private static final int REPORTS = 178;
    private static final Pattern ROW =
            Pattern.compile("\\| (\\d{3}) \\| ([1-5]) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|");
    private static final Pattern TEST = Pattern.compile("`([a-z]+\\.[A-Za-z]+)#([A-Za-z0-9_]+)`");

    private static List<Matcher> rows() throws IOException {
        Path page = Path.of("..", "docs", "field-reports.md");
        List<Matcher> rows = new ArrayList<>();
        for (String line : Files.readAllLines(page)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.add(row);
            }
        }
        return rows;
    }

    @Test
    void everyReport_isListedOnce() throws Exception {
        assertThat(rows()).extracting(row -> row.group(1)).hasSize(REPORTS).doesNotHaveDuplicates();
    }

    @Test
    void everyRow_namesTestsOrAReason() throws Exception {
        for (Matcher row : rows()) {
            String cell = row.group(5);
            assertThat(TEST.matcher(cell).find() || cell.startsWith("not yet: ") || cell.startsWith("not offered: "))
                    .as(row.group())
                    .isTrue();
        }
    }

    /** Of the end-to-end tests, or of another package where a test beside the class says it better. */
    private static Class<?> testClass(String name) throws ClassNotFoundException {
        ClassLoader loader = FieldReportsPageTest.class.getClassLoader();
        for (String root : List.of("io.kvgate.server.e2e.", "io.kvgate.server.", "io.kvgate.", "io.kvgate.policies.")) {
            try {
                return Class.forName(root + name, false, loader);
            } catch (ClassNotFoundException e) {
                // The next root may have it.
            }
        }
        throw new ClassNotFoundException(name);
    }

    @Test
    void everyNamedTest_exists() throws Exception {
        int named = 0;
        for (Matcher row : rows()) {
            Matcher test = TEST.matcher(row.group(5));
            while (test.find()) {
                Class<?> type = testClass(test.group(1));
                String method = test.group(2);
                assertThat(Arrays.stream(type.getDeclaredMethods())
                                .filter(candidate -> candidate.isAnnotationPresent(Test.class)
                                        || candidate.isAnnotationPresent(ParameterizedTest.class))
                                .map(java.lang.reflect.Method::getName))
                        .as("%s of report %s", type.getSimpleName(), row.group(1))
                        .contains(method);
                named++;
            }
        }
        assertThat(named).isGreaterThan(100);
    }
}
