package io.kvgate.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import io.kvgate.core.architecture.ArchitectureRules;
import io.kvgate.core.architecture.ArchitectureRules.BannedCall;
import io.kvgate.core.metrics.MetricsRegistry;
import io.kvgate.core.metrics.MetricsRegistryContract;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

final class ServerArchitectureTest {
    private static final String ROOT = "io.kvgate.server";
    private static final JavaClasses CLASSES = ArchitectureRules.productionClasses(ROOT);
    private static final Map<BannedCall, Set<String>> ALLOWED = Map.of(
            BannedCall.EXIT, Set.of(ROOT + ".GatewayMain"),
            BannedCall.SYSTEM_CLOCK, Set.of(ROOT + ".Gateway"));

    @Test
    void classes_areFound() {
        assertThat(CLASSES).hasSizeGreaterThan(100);
    }

    @TestFactory
    Stream<DynamicTest> commonRules_hold() {
        return ArchitectureRules.common(ALLOWED).stream()
                .map(rule -> DynamicTest.dynamicTest(rule.getDescription(), () -> rule.check(CLASSES)));
    }

    @Test
    void compositionRoot_isKnownToNobody() {
        noClasses()
                .that()
                .resideInAPackage(ROOT + ".*..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT)
                .because("only the root connects things")
                .check(CLASSES);
    }

    @Test
    void packages_pointOneWay() {
        Set<String> edges = Set.of("http", "admin");
        for (String lower :
                Set.of("config", "observability", "transport", "body", "upstream", "monitor", "discovery", "routing")) {
            for (String higher : edges) {
                noClasses()
                        .that()
                        .resideInAPackage(ROOT + "." + lower + "..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(ROOT + "." + higher + "..")
                        .check(CLASSES);
            }
        }
        noClasses()
                .that()
                .resideInAPackage(ROOT + ".http..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".admin..")
                .check(CLASSES);
    }

    @Test
    void libraries_stayWhereTheyBelong() {
        ArchitectureRules.libraryOnlyIn("io.micrometer..", ROOT + ".observability..")
                .check(CLASSES);
        ArchitectureRules.libraryOnlyIn("picocli..", ROOT + ".config..", ROOT).check(CLASSES);
        ArchitectureRules.libraryOnlyIn("ch.qos.logback..", ROOT + ".observability..")
                .check(CLASSES);
        ArchitectureRules.libraryOnlyIn("org.zeromq..", "no.package").check(CLASSES);
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.kvgate.bench..")
                .check(CLASSES);
    }

    @Test
    void packages_areNullMarked() {
        assertThat(ArchitectureRules.packagesNotNullMarked(CLASSES)).isEmpty();
    }

    @Test
    void metricsRegistries_passTheContract() {
        assertThat(ArchitectureRules.implementationsWithoutKit(
                        CLASSES,
                        ArchitectureRules.testClasses(ROOT),
                        MetricsRegistry.class,
                        MetricsRegistryContract.class))
                .isEmpty();
    }
}
